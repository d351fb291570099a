<?php

/**
 * What your implementation has, operation by operation; the loop in adapter.php stays as it is.
 *
 * Report what your implementation gives and repair nothing: no trimming, no re-encoding, no retry.
 */

declare(strict_types=1);

namespace SvcConformance;

const IMPLEMENTATION = ['name' => 'my-sdk', 'version' => '0', 'language' => 'php'];

/** The stages that your implementation lets anybody see, of those in PROTOCOL.md. `stringToSign` explains the most. */
const TRACES = [];

/** A deliberate no of your implementation. Any other exception is an error of it. */
final class Refusal extends \RuntimeException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}

/** Your implementation has no way to express the input: new Unsupported($why). Neither a pass nor a failure. */
final class Unsupported extends \RuntimeException
{
}

final class Signing
{
    /** The next one is one name here and one method; PROTOCOL.md names them all: 'presigned-url' is presignedUrl(). */
    public const OPERATIONS = ['authorization'];

    /**
     * @param array $keys ['publicKey' => 'pub-example', 'privateKey' => 'priv-example']
     * @param array $dialect ['scheme' => 'Svc', 'headerPrefix' => 'X-Svc-', 'publicKeyParameter' => 'SvcPublicKey']
     */
    public function __construct(private readonly array $keys, private readonly array $dialect)
    {
    }

    /**
     * The value of the Authorization header (§5.2). Call your SDK, and return
     * ['result' => ['authorization' => $value], 'trace' => ['stringToSign' => $text]]; leave out a trace of nothing.
     * Throw new Unsupported($why) where your SDK has no way to express the input, such as a header name twice.
     *
     * @param array $input ['method' => 'PUT', 'bucket' => 'demo', 'key' => 'a.txt',
     *                      'headers' => [['Content-Type', 'text/plain']]]
     */
    public function authorization(array $input): array
    {
        throw new \LogicException('fill in authorization() in signing.php');
    }
}
