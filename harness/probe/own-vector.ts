/**
 * Vectors that only a server can be asked: made for its key pair and its bucket, in its dialect.
 *
 * @module
 */
import type { Steps } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { answerTo, isRefused } from '../rederive/answer.ts';
import type { Input, KeyPair, Level, Vector } from '../suite/vector.ts';

/** Whom they are about. */
export interface About {
  readonly keys: KeyPair;
  readonly dialect: Dialect;
  readonly bucket: string;
  readonly fileHost: string;
  readonly scheme: string;
  /** The server's clock in Unix seconds. */
  readonly now: number;
}

interface Claim {
  readonly id: string;
  readonly rules: readonly string[];
  readonly level: Level;
  readonly why: string;
}

const SOURCE = 'svc-conformance probe';

/** A rightly signed request, by the operation that verifies it. */
export function signedInput(
  operation: string,
  request: Input,
  about: About,
  swap: Partial<Steps> = {},
): Input {
  const { keys, dialect, fileHost, now } = about;
  const signing = SIGNERS[operation] ?? '';
  const answer = answerTo({ operation: signing, input: request, keys }, dialect, swap);
  if (isRefused(answer)) throw new Error(`${signing} cannot be signed: ${answer.message}`);
  const { authorization, url, query, body } = answer;
  const { method, bucket, key, headers = [] } = request;
  switch (operation) {
    case 'verify-authorization': {
      const signed = ['Authorization', authorization];
      return { method, bucket, key, headers: [...(headers as readonly unknown[]), signed] };
    }
    case 'verify-presigned-url':
      return { method, url, headers, fileHost, now: `${now}` };
    default:
      return operation === 'verify-json' ? { body } : { query };
  }
}

const SIGNERS: Readonly<Record<string, string>> = {
  'verify-authorization': 'authorization',
  'verify-presigned-url': 'presigned-url',
  'verify-query': 'action-query',
  'verify-json': 'action-json',
};

/** A rightly signed request that must be accepted. */
export function acceptedVector(
  operation: string,
  claim: Claim,
  right: Input,
  about: About,
): Vector {
  return { ...base(operation, claim, right, about), expect: { publicKey: about.keys.publicKey } };
}

/** One that may be accepted or refused, as long as it is answered. */
export function answeredVector(
  operation: string,
  claim: Claim,
  input: Input,
  about: About,
): Vector {
  return {
    ...base(operation, claim, input, about),
    accept: {
      accepted: {
        because: 'It was answered, and not for its signature.',
        expect: { publicKey: about.keys.publicKey },
      },
      refused: { because: 'It was refused.', refuse: { reason: 'limit' } },
    },
  };
}

/** A request that must be refused, as it was changed after signing; nothing where the change leaves it right. */
export function refusedVector(
  operation: string,
  claim: Claim,
  right: Input,
  changed: Input,
  about: About,
): Vector | undefined {
  const { keys, dialect } = about;
  const answer = answerTo({ operation, input: changed, keys }, dialect);
  if (!isRefused(answer)) return undefined;
  return {
    ...base(operation, claim, changed, about),
    refuse: { reason: answer.reason },
    control: { input: right, expect: { publicKey: keys.publicKey } },
  };
}

function base(operation: string, { id, ...claim }: Claim, input: Input, { keys }: About): Vector {
  return { ...claim, id: `${operation}/${id}`, operation, source: SOURCE, keys, input };
}
