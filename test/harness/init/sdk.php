<?php

/**
 * Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry. It is an untidy one: it prints, warns,
 * and has names that a kit might have.
 */

declare(strict_types=1);

const DEPTH = 'mine', TRACES = 'mine', IMPLEMENTATION = 'mine';

class Signing
{
}

class Refusal
{
}

function reply(): void
{
    echo "a line of the SDK\n";
    @file_get_contents('no such file');
    trigger_error('a deprecation', E_USER_DEPRECATED);
    trigger_error('a notice', E_USER_NOTICE);
    trigger_error('a warning', E_USER_WARNING);
}

const TOKEN = '/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]+\z/';

function refuseIf(bool $condition, string $reason): void
{
    $condition and throw new SvcConformance\Refusal($reason, 'no');
}

function sdkAuthorization(array $input, array $keys, array $dialect): string
{
    reply();
    ['method' => $method, 'bucket' => $bucket, 'key' => $key, 'headers' => $headers] = $input;
    refuseIf(!preg_match(TOKEN, $method), 'method');
    refuseIf($bucket === '' || str_contains($bucket, '/'), 'bucket');
    $values = ['content-md5' => [], 'content-type' => [], 'date' => []];
    foreach ($headers as [$name, $value]) {
        $name = trim($name, " \t");
        $value = preg_replace('/[ \t]*(?:\r?\n[ \t]+)+/', ' ', $value);
        refuseIf(!preg_match(TOKEN, $name), 'header-name');
        refuseIf((bool) preg_match('/[\r\n\0]/', $value), 'header-value');
        $values[strtolower($name)][] = trim($value, " \t");
    }
    $text = strtoupper($method) . "\n";
    foreach (['content-md5', 'content-type', 'date'] as $name) {
        $text .= implode(',', $values[$name]) . "\n";
    }
    ksort($values, SORT_STRING);
    foreach ($values as $name => $several) {
        if (str_starts_with((string) $name, strtolower($dialect['headerPrefix']))) {
            $text .= "$name:" . implode(',', $several) . "\n";
        }
    }
    $signature = base64_encode(hash_hmac('sha1', "$text/$bucket/$key", $keys['privateKey'], true));
    return "{$dialect['scheme']} {$keys['publicKey']}:$signature";
}
