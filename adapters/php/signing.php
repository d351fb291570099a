<?php

/**
 * All operations of the adapter protocol with PHP's own functions, written from the specification.
 *
 * To judge your own SDK, replace the body of a public method by calls to it and leave out of `trace`
 * what it does not show. Each method takes the question's input and returns the members of its reply.
 */

declare(strict_types=1);

namespace SvcConformance;

const IMPLEMENTATION = ['name' => 'php', 'version' => '1.0.0', 'language' => 'php'];

/** The stages that `trace` may show; take out what your implementation does not let anybody see. */
const TRACES = [
    'sortedParameters', 'canonicalHeaders', 'canonicalResource', 'stringToSign',
    'digest', 'signature', 'encodedSignature', 'blockCount',
];

/** A deliberate no, to sign or to accept; the reason is a code of the protocol. */
final class Refusal extends \RuntimeException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}

/** The loop takes it from implementations that have no way to express an input; this one has. */
final class Unsupported extends \RuntimeException
{
}

final class Signing
{
    /** Named as in the protocol; the method of `url-encode` is urlEncode(). */
    public const OPERATIONS = [
        'url-encode', 'password', 'action-signature', 'action-json', 'action-query', 'bucket-request',
        'authorization', 'form-authorization', 'policy', 'policy-authorization', 'instant-upload',
        'presigned-url', 'etag', 'part-etag', 'verify-authorization', 'verify-presigned-url',
        'verify-query', 'verify-json',
    ];

    // `$` would also match before a line feed at the end, hence \z.
    private const VERB = '/\A[!#$%&\'*+\-.^_`|~0-9A-Za-z]+\z/';
    private const FIELD_NAME = '/\A([!#$%&\'*+\-.^_`|~0-9A-Za-z]+)[ \t]*\z/';
    private const NUMBER = '/\A(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?\z/';
    private const URL = '~\Ahttps?://([^/?#@]+)(?:/([^?#]*))?(?:\?([^#]*))?\z~i';
    /** No text limits Expires; sixteen digits are microseconds, which this project takes for a mistake. */
    private const UNIX_SECONDS = '/\A[0-9]{1,15}\z/';
    /** Plain decimal text has no exponent, so 1e999999999 would take a gigabyte. */
    private const LARGEST_EXPONENT = 1_000_000;
    private const BLOCK_SIZE = 4 * 1024 * 1024;
    private const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_LINE_TERMINATORS | JSON_THROW_ON_ERROR;

    public function __construct(private readonly array $keys, private readonly array $dialect)
    {
    }

    public function urlEncode(array $input): array
    {
        return ['result' => ['encoded' => rawurlencode($input['text'])]];
    }

    public function password(array $input): array
    {
        return ['result' => ['value' => base64_encode($input['text'])]];
    }

    public function actionSignature(array $input): array
    {
        $stages = $this->signedParameters(self::flattened($input['parameters']));
        return ['result' => ['signature' => $stages['signature']], 'trace' => $stages];
    }

    public function actionJson(array $input): array
    {
        $parameters = self::flattened($input['parameters']);
        $stages = $this->signedParameters($parameters, ['Action', 'PublicKey']);
        $members = [];
        foreach ([...$parameters, ['Signature', $stages['signature'], true]] as [$name, $text, $quoted]) {
            $value = $quoted ? json_encode($text, self::JSON) : $text;
            $members[] = json_encode($name, self::JSON) . ':' . $value;
        }
        return ['result' => ['body' => '{' . implode(',', $members) . '}'], 'trace' => $stages];
    }

    public function actionQuery(array $input): array
    {
        [$query, $stages] = $this->signedQuery($input['parameters'], ['Action', 'PublicKey']);
        return ['result' => ['query' => $query], 'trace' => $stages];
    }

    public function bucketRequest(array $input): array
    {
        $creates = in_array(['Action', 'CreateBucket'], $input['parameters'], true);
        $required = ['Action', 'PublicKey', ...($creates ? ['Type', 'BucketName'] : [])];
        [$query, $stages] = $this->signedQuery($input['parameters'], $required);
        return ['result' => ['target' => "/?$query"], 'trace' => $stages];
    }

    public function authorization(array $input): array
    {
        $stages = $this->signedByHeaders($input);
        return ['result' => ['authorization' => $this->credentials($stages)], 'trace' => $stages];
    }

    public function formAuthorization(array $input): array
    {
        $headers = self::checkedHeaders($input['headers']);
        // Unlike names of headers, names of form fields have a case.
        $field = fn(string $name) => self::fieldValue(self::only($input['fields'], $name) ?? '');
        $stages = $this->signedFile(['method' => 'POST'] + $input, $headers, [
            self::only($headers, 'content-md5') ?? $field('Content-MD5'),
            $field('Content-Type'),
            self::only($headers, 'date') ?? '',
        ]);
        return ['result' => ['authorization' => $this->credentials($stages)], 'trace' => $stages];
    }

    public function policy(array $input): array
    {
        $members = [];
        foreach ($input['members'] as [$name, $value]) {
            $members[] = json_encode($name, self::JSON) . ':' . json_encode($value, self::JSON);
        }
        return ['result' => ['policy' => self::urlSafeBase64('{' . implode(',', $members) . '}')]];
    }

    public function policyAuthorization(array $input): array
    {
        $stages = $this->signedByHeaders($input, $input['policy']);
        $authorization = $this->credentials($stages) . ':' . $input['policy'];
        return ['result' => ['authorization' => $authorization], 'trace' => $stages];
    }

    public function instantUpload(array $input): array
    {
        $stages = $this->signedByHeaders(['method' => 'POST'] + $input);
        $query = self::query([
            ['Hash', $input['etag']],
            ['FileName', $input['key']],
            ['FileSize', $input['size']],
        ]);
        $result = ['target' => "/uploadhit?$query", 'authorization' => $this->credentials($stages)];
        return ['result' => $result, 'trace' => $stages];
    }

    public function presignedUrl(array $input): array
    {
        $headers = self::checkedHeaders($input['headers']);
        $stages = $this->signedFile($input, $headers, ['', '', $input['expires']]);
        $stages['encodedSignature'] = rawurlencode($stages['signature']);
        $query = self::query([
            [$this->dialect['publicKeyParameter'], $this->keys['publicKey']],
            ['Expires', $input['expires']],
        ]);
        $path = implode('/', array_map(rawurlencode(...), explode('/', $input['key'])));
        $url = "{$input['scheme']}://{$input['bucket']}.{$input['fileHost']}/$path"
            . "?$query&Signature={$stages['encodedSignature']}";
        return ['result' => ['url' => $url], 'trace' => $stages];
    }

    public function etag(array $input): array
    {
        $digests = hash_init('sha1');
        $digest = sha1('', true);
        $blockCount = 0;
        foreach (self::blocks($input['content']) as $block) {
            $digest = sha1($block, true);
            hash_update($digests, $digest);
            $blockCount++;
        }
        if ($blockCount > 1) {
            $digest = hash_final($digests, true);
        }
        return [
            'result' => ['etag' => self::urlSafeBase64(pack('V', $blockCount) . $digest)],
            'trace' => ['blockCount' => $blockCount, 'digest' => bin2hex($digest)],
        ];
    }

    public function partEtag(array $input): array
    {
        $hash = hash_init('sha1');
        foreach (self::blocks($input['content']) as $block) {
            hash_update($hash, $block);
        }
        $digest = hash_final($hash, true);
        $result = ['etag' => self::urlSafeBase64($digest)];
        return ['result' => $result, 'trace' => ['digest' => bin2hex($digest)]];
    }

    public function verifyAuthorization(array $input): array
    {
        $headers = self::checkedHeaders($input['headers']);
        $credentials = self::only($headers, 'authorization', 'authorization-malformed')
            ?? throw new Refusal('authorization-missing', 'the request has no Authorization');
        $scheme = preg_quote($this->dialect['scheme'], '/');
        preg_match("/\A$scheme ([^ \t:]+):([^ \t:]+)(?::([^ \t:]+))?\z/", $credentials, $parts) === 1
            or throw new Refusal('authorization-malformed', 'Authorization is not "<scheme> <key>:<signature>"');
        isset($parts[3]) && !(self::isUpload($input['method']) && self::isPolicy($parts[3]))
            and throw new Refusal('authorization-malformed', 'a third part is a policy in Base64, and of an upload');
        $this->checkAccount($parts[1]);
        return self::accepted($parts[1], $parts[2], $this->signedByHeaders($input, $parts[3] ?? ''));
    }

    private static function isUpload(string $method): bool
    {
        return in_array(strtoupper($method), ['PUT', 'POST'], true);
    }

    /** Base64 of a JSON object. Without this check, the end of another key passes as a policy. */
    private static function isPolicy(string $text): bool
    {
        $json = base64_decode(strtr($text, '-_', '+/'), true);
        return is_string($json) && json_decode($json) instanceof \stdClass;
    }

    public function verifyPresignedUrl(array $input): array
    {
        preg_match(self::URL, $input['url'], $parts) === 1
            or throw new Refusal('url-malformed', self::quoted($input['url']) . ' is no http URL');
        $bucket = self::bucketOfHost($parts[1], $input['fileHost']);
        $key = self::urlDecoded($parts[2] ?? '', 'url-malformed');
        $pairs = self::queryPairs($parts[3] ?? '');
        $signature = self::parameter($pairs, 'Signature', 'signature-missing');
        $publicKey = self::parameter($pairs, $this->dialect['publicKeyParameter']);
        $expires = self::only($pairs, 'Expires', 'parameter-repeated')
            ?? throw new Refusal('parameter-missing', 'the URL has no Expires');
        preg_match(self::UNIX_SECONDS, $expires) === 1
            or throw new Refusal('expires-malformed', 'Expires is no count of seconds');
        (int) $expires >= (int) $input['now'] // before the signature
            or throw new Refusal('expired', 'the URL has expired');
        $this->checkAccount($publicKey);
        $file = ['method' => $input['method'], 'bucket' => $bucket, 'key' => $key];
        $headers = self::checkedHeaders($input['headers']);
        return self::accepted($publicKey, $signature, $this->signedFile($file, $headers, ['', '', $expires]));
    }

    public function verifyQuery(array $input): array
    {
        return $this->verified(self::queryPairs($input['query']));
    }

    public function verifyJson(array $input): array
    {
        return $this->verified(self::jsonMembers($input['body']));
    }

    // §5.1

    /** Triples of name, text and whether JSON quotes it, in byte order and without Signature. */
    private static function flattened(array $parameters): array
    {
        $flat = [];
        foreach ($parameters as [$name, $value]) {
            if ($name !== 'Signature') { // R2
                array_push($flat, ...self::flattenedValue($name, $value));
            }
        }
        usort($flat, fn(array $a, array $b) => strcmp($a[0], $b[0]));
        return $flat;
    }

    private static function flattenedValue(string $name, mixed $value): array
    {
        if (!is_array($value) || isset($value['number'])) {
            return [[$name, match (true) {
                is_string($value) => $value,
                is_bool($value) => $value ? 'true' : 'false',
                is_array($value) => self::plainDecimal($value['number']),
                default => throw new Refusal('parameter-null', 'parameter ' . self::quoted($name) . ' is null'),
            }, is_string($value)]];
        }
        $items = $value['object'] ?? array_map(null, array_keys($value['list']), $value['list']);
        $flat = array_map(fn(array $item) => self::flattenedValue("$name.$item[0]", $item[1]), $items);
        return array_merge(...$flat);
    }

    private static function plainDecimal(string $number): string
    {
        preg_match(self::NUMBER, $number, $parts) === 1
            or throw new Refusal('number', self::quoted($number) . ' is no number');
        $digits = $parts[2] . ($parts[3] ?? '');
        if (trim($digits, '0') === '') {
            return '0';
        }
        $exponent = (int) ($parts[4] ?? 0);
        abs($exponent) <= self::LARGEST_EXPONENT or throw new Refusal('number', "$number is too long");

        $point = strlen($parts[2]) + $exponent;
        $digits = str_repeat('0', max(1 - $point, 0)) . $digits;
        $point = max($point, 1);
        $whole = ltrim(str_pad(substr($digits, 0, $point), $point, '0'), '0');
        $fraction = rtrim(substr($digits, $point), '0');
        return $parts[1] . ($whole === '' ? '0' : $whole) . ($fraction === '' ? '' : ".$fraction");
    }

    private function signedParameters(array $parameters, array $required = []): array
    {
        $names = array_column($parameters, 0);
        count(array_unique($names)) === count($names)
            or throw new Refusal('parameter-repeated', 'a parameter is there twice');
        foreach (array_diff($required, $names) as $missing) {
            throw new Refusal('parameter-missing', "a request needs the parameter $missing");
        }
        $pairs = array_map(fn(array $parameter) => [$parameter[0], $parameter[1]], $parameters);
        $text = implode('', array_map(implode(...), $pairs)) . $this->keys['privateKey'];
        return ['sortedParameters' => $pairs, 'stringToSign' => $text, 'signature' => sha1($text)];
    }

    private function signedQuery(array $parameters, array $required): array
    {
        $stages = $this->signedParameters(self::flattened($parameters), $required);
        $pairs = [...$stages['sortedParameters'], ['Signature', $stages['signature']]];
        return [self::query($pairs), $stages];
    }

    // §5.2, §5.4

    /** A header's value without folds and outer blanks; the lines of a fold each begin with a blank. */
    private static function fieldValue(string $value): string
    {
        $lines = preg_split('/\r?\n/', $value);
        foreach ($lines as $i => $line) {
            (strpbrk($line, "\r\0") === false && ($i === 0 || strspn($line, " \t") > 0))
                or throw new Refusal('header-value', self::quoted($value) . ' has a line end or a NUL');
        }
        // Without its second argument trim() would also eat NULs and line ends.
        $trimmed = array_map(fn(string $line) => trim($line, " \t"), $lines);
        return implode(' ', array_filter($trimmed, strlen(...)));
    }

    private static function checkedHeaders(array $headers): array
    {
        $checked = [];
        foreach ($headers as [$name, $value]) {
            preg_match(self::FIELD_NAME, $name, $parts) === 1
                or throw new Refusal('header-name', self::quoted($name) . ' is no token');
            $checked[] = [strtolower($parts[1]), self::fieldValue($value)];
        }
        return $checked;
    }

    /** The one value of a name, or null. */
    private static function only(array $pairs, string $name, string $reason = 'header-repeated'): mixed
    {
        $values = array_column(array_filter($pairs, fn(array $pair) => $pair[0] === $name), 1);
        count($values) < 2 or throw new Refusal($reason, "$name is there " . count($values) . ' times');
        return $values[0] ?? null;
    }

    private function canonicalHeaders(array $headers): string
    {
        $entries = [];
        foreach ($headers as [$name, $value]) {
            if (str_starts_with($name, strtolower($this->dialect['headerPrefix']))) {
                $entries[$name] = isset($entries[$name]) ? "$entries[$name],$value" : "$name:$value";
            }
        }
        ksort($entries, SORT_STRING); // the default compares numbers as numbers
        return implode('', array_map(fn(string $entry) => "$entry\n", $entries));
    }

    private function signedByHeaders(array $request, string $policy = ''): array
    {
        $headers = self::checkedHeaders($request['headers']);
        $position = fn(string $name) => self::only($headers, $name) ?? '';
        $positions = array_map($position, ['content-md5', 'content-type', 'date']);
        return $this->signedFile($request, $headers, $positions, $policy);
    }

    /** Signs the texts in the positions of Content-MD5, Content-Type and Date. */
    private function signedFile(array $request, array $headers, array $positions, string $policy = ''): array
    {
        ['method' => $method, 'bucket' => $bucket, 'key' => $key] = $request;
        preg_match(self::VERB, $method) === 1
            or throw new Refusal('method', self::quoted($method) . ' is no token');
        ($bucket !== '' && !str_contains($bucket, '/'))
            or throw new Refusal('bucket', self::quoted($bucket) . ' names no bucket');

        $canonicalHeaders = $this->canonicalHeaders($headers);
        $resource = "/$bucket/$key";
        $text = implode("\n", [strtoupper($method), ...$positions, $canonicalHeaders . $resource . $policy]);
        $digest = hash_hmac('sha1', $text, $this->keys['privateKey'], true);
        return [
            'canonicalHeaders' => $canonicalHeaders,
            'canonicalResource' => $resource,
            'stringToSign' => $text,
            'digest' => bin2hex($digest),
            'signature' => base64_encode($digest),
        ];
    }

    private function credentials(array $stages): string
    {
        return "{$this->dialect['scheme']} {$this->keys['publicKey']}:{$stages['signature']}";
    }

    // §5.3

    private static function query(array $pairs): string
    {
        $encoded = array_map(fn(array $pair) => implode('=', array_map(rawurlencode(...), $pair)), $pairs);
        return implode('&', $encoded);
    }

    /** Pairs in order: parse_str() would rewrite dots in names and keep the last of two values. */
    private static function queryPairs(string $query): array
    {
        $decoded = fn(string $text) => self::urlDecoded($text, 'query-malformed');
        $pairs = array_filter(explode('&', $query), strlen(...));
        return array_map(fn(string $pair) => array_map($decoded, explode('=', $pair, 2) + [1 => '']), $pairs);
    }

    private static function urlDecoded(string $text, string $reason): string
    {
        $decoded = rawurldecode($text); // leaves a bad escape as it is
        (preg_match('/%(?![0-9A-Fa-f]{2})/', $text) === 0 && preg_match('//u', $decoded) === 1)
            or throw new Refusal($reason, self::quoted($text) . ' is not percent-encoded UTF-8');
        return $decoded;
    }

    // §2

    private static function blocks(array $content): \Generator
    {
        $stream = fopen($content['file'] ?? "data:;base64,{$content['bytes']}", 'rb')
            ?: throw new \RuntimeException('the content cannot be read');
        while (($block = stream_get_contents($stream, self::BLOCK_SIZE)) !== '') {
            yield $block;
        }
        fclose($stream);
    }

    private static function urlSafeBase64(string $bytes): string
    {
        return strtr(base64_encode($bytes), '+/', '-_');
    }

    // Verifiers

    private function verified(array $parameters): array
    {
        $signature = self::parameter($parameters, 'Signature', 'signature-missing');
        $stages = $this->signedParameters(self::flattened($parameters), ['Action', 'PublicKey']);
        $publicKey = self::parameter($stages['sortedParameters'], 'PublicKey');
        $this->checkAccount($publicKey);
        return self::accepted($publicKey, $signature, $stages);
    }

    private static function parameter(array $pairs, string $name, string $reason = 'parameter-missing'): string
    {
        $value = self::only($pairs, $name, 'parameter-repeated');
        return is_string($value) && $value !== '' ? $value : throw new Refusal($reason, "$name is missing");
    }

    private function checkAccount(string $publicKey): void
    {
        $publicKey === $this->keys['publicKey']
            or throw new Refusal('public-key-unknown', 'no account has this public key');
    }

    private static function accepted(string $publicKey, string $signature, array $stages): array
    {
        hash_equals($stages['signature'], $signature)
            or throw new Refusal('signature-mismatch', 'the account computes another signature');
        return ['result' => ['publicKey' => $publicKey], 'trace' => $stages];
    }

    private static function bucketOfHost(string $host, string $fileHost): string
    {
        $bucket = substr($host, 0, -strlen(".$fileHost"));
        ($bucket !== '' && strcasecmp($host, "$bucket.$fileHost") === 0)
            or throw new Refusal('url-malformed', self::quoted($host) . " is not <bucket>.$fileHost");
        return $bucket;
    }

    /** Members as the protocol writes them: json_decode() rounds numbers, keeps the last of two names, takes `TRUE`. */
    private static function jsonMembers(string $body): array
    {
        json_decode($body);
        $valid = json_last_error() === JSON_ERROR_NONE && ltrim($body, " \t\r\n")[0] === '{';
        $valid or throw new Refusal('body-malformed', 'the body is no JSON object');
        preg_match_all('/"(?:[^"\\\\]++|\\\\.)*+"|[[\]{}]|[^][{}",:\s]++/', $body, $found);
        return self::jsonValue(new \ArrayIterator($found[0]))['object'];
    }

    private static function jsonValue(\ArrayIterator $tokens): mixed
    {
        $token = $tokens->current();
        $tokens->next();
        if ($token !== '{' && $token !== '[') {
            return match (true) {
                $token[0] === '"' => json_decode($token),
                $token === 'true', $token === 'false' => $token === 'true',
                strspn($token[0], '-0123456789') === 1 => ['number' => $token],
                default => throw new Refusal('body-malformed', "$token has no text to sign"),
            };
        }
        $items = [];
        while (!in_array($tokens->current(), ['}', ']'], true)) {
            $item = self::jsonValue($tokens);
            $items[] = $token === '{' ? [$item, self::jsonValue($tokens)] : $item;
        }
        $tokens->next();
        return [$token === '{' ? 'object' : 'list' => $items];
    }

    private static function quoted(string $text): string
    {
        return json_encode($text, self::JSON);
    }
}
