<?php

/**
 * The loop of a conformance adapter: one JSON question per line in, one JSON reply per line out.
 * What it offers is in signing.php; the messages are those of PROTOCOL.md.
 */

declare(strict_types=1);

namespace SvcConformance;

// Replies have standard output to themselves: PHP's messages and what an SDK prints go to standard error.
ini_set('display_errors', 'stderr');
ini_set('log_errors', '0');
ob_start(function (string $printed): string {
    fwrite(STDERR, $printed);
    return '';
}, 1);

require __DIR__ . '/signing.php';

/** Lists in a question may be nested deep; the default of json_decode is 512. */
const DEPTH = 10_000;
const AS_IT_IS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR;

/** The message, and whether it holds an unpaired surrogate, with which PHP decodes nothing at all. */
function message(string $line): array
{
    $message = json_decode($line, true, DEPTH);
    $halved = json_last_error() === JSON_ERROR_UTF16;
    if ($halved) {
        $whole = preg_replace('/\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}|(\\\\.)/', '$1', $line);
        $message = json_decode($whole, true, DEPTH);
    }
    if (!is_array($message)) {
        // Not the line itself: it may hold a private key.
        fwrite(STDERR, 'a line of standard input is no JSON object (' . json_last_error_msg() . ")\n");
        exit(1);
    }
    return [$message, $halved];
}

function helloReply(): array
{
    return [
        'protocol' => 1,
        'implementation' => IMPLEMENTATION,
        'operations' => Signing::OPERATIONS,
        'traces' => TRACES,
        'window' => 64,
    ];
}

function reply(array $question, bool $halved, array $dialect): array
{
    if (!in_array($question['operation'], Signing::OPERATIONS, true)) {
        return ['unsupported' => true];
    }
    $method = lcfirst(str_replace('-', '', ucwords($question['operation'], '-')));
    try {
        if ($halved) {
            throw new Refusal('text', 'an unpaired surrogate has no UTF-8 bytes');
        }
        return (new Signing($question['keys'], $dialect))->$method($question['input']);
    } catch (Refusal $refusal) {
        return ['refused' => ['reason' => $refusal->reason, 'message' => $refusal->getMessage()]];
    } catch (Unsupported $limit) {
        return ['unsupported' => $limit->getMessage() ?: true];
    } catch (\Throwable $error) {
        $place = $error->getFile() . ':' . $error->getLine();
        return ['error' => $error::class . ': ' . $error->getMessage() . " ($place)"];
    }
}

$dialect = null;
while (($line = fgets(STDIN)) !== false) {
    [$message, $halved] = message($line);
    $answer = $dialect === null
        ? helloReply()
        : ['n' => $message['n']] + reply($message, $halved, $dialect);
    $dialect ??= $message['dialect'];
    fwrite(STDOUT, json_encode($answer, AS_IT_IS) . "\n");
    fflush(STDOUT);
}
