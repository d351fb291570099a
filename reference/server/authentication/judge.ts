/**
 * Judges a signature by the specification, then by the texts of published SDKs (§5, E1), for each possible bucket.
 *
 * @module
 */

import { type Account, hidePrivateKeys } from '../../secret-keys.ts';
import type { Accounts, Context, Refusal, SignedIn, Verification } from '../../signing/index.ts';
import type { VendorVariant } from '../../vendor-texts.ts';
import type { WireRequest } from '../messages/exchange.ts';
import type {
  Diagnosis,
  Judgement,
  SuspectRequest,
  WrongJudgement,
} from '../messages/judgement.ts';
import type { Bucket } from '../store/entries.ts';
import type { Service } from './service.ts';

/** The possible buckets of a request: the bucket in its address, or all. */
export interface Candidates {
  readonly buckets: readonly [Bucket, ...Bucket[]];
  readonly isNamed: boolean;
}

export interface BucketJudgement {
  readonly bucket: Bucket;
  readonly judgement: Judgement;
}

/** The most buckets that are tried, because each takes an HMAC. */
const MOST_BUCKETS = 1000;

/** Judges a signature for each possible bucket. If it fits none, returns the judgement and diagnosis for the first bucket. */
export function judgeBuckets(
  service: Service,
  signatureFor: (bucket: string) => Signature,
  { buckets, isNamed }: Candidates,
): BucketJudgement {
  const [first, ...others] = buckets;
  const undiagnosed = { ...service, diagnose: () => undefined };
  for (const bucket of others.slice(0, MOST_BUCKETS)) {
    const judgement = judgeSignature(undiagnosed, signatureFor(bucket.name));
    if (judgement.kind === 'right') return { bucket, judgement };
  }
  const judgement = judgeSignature(service, signatureFor(first.name));
  if (isNamed || judgement.kind !== 'wrong') return { bucket: first, judgement };
  const message = `${judgement.message}; ${unnamedHint(buckets)}`;
  return { bucket: first, judgement: { ...judgement, message } };
}

/** Says that the address names no bucket, and how to name one. */
export function unnamedHint(buckets: readonly Bucket[]): string {
  const tried =
    buckets.length === 0
      ? 'and there is no bucket yet'
      : buckets.length === 1
        ? `so ${JSON.stringify(buckets[0]?.name)}, the only one, was taken`
        : `which leaves it to the signature, and none fits one of ${buckets.length}`;
  return `a loopback address names no bucket, ${tried}; name it by --bind HOST=BUCKET, by a virtual host such as BUCKET.localhost, or by using the server as an HTTP proxy`;
}

export interface Signature {
  readonly signedIn: SignedIn;
  /** The sent signature; undefined if it cannot be parsed. */
  readonly publicKey: string | undefined;
  /** The texts of published SDKs, which are tried only if the text of the specification does not fit. */
  readonly variants?: () => readonly VendorVariant[];
  /** Refuses the request before its signature is compared. */
  readonly refusal?: Refusal | undefined;
  readonly verify: (accounts: Accounts, context: Context) => Verification<unknown>;
  readonly suspect: SuspectRequest;
}

/** Converts the request to the form that the diagnosis takes. */
export function toSuspect(
  { method, target, headers }: WireRequest,
  bucket: string | undefined,
  body: string,
): SuspectRequest {
  return { method, target, headers, body, bucket };
}

export function judgeSignature(service: Service, signature: Signature): Judgement {
  const { signedIn, publicKey = '', refusal, suspect: request } = signature;
  if (refusal) return { ...wrongJudgement(signature, refusal), request };
  const accounts: Accounts = (key) => findAccount(service, key);
  const verification = signature.verify(accounts, service.context);
  if (verification.accepted) {
    return { kind: 'right', signedIn, publicKey: verification.publicKey, request };
  }
  const vendor =
    verification.reason === 'signature-mismatch'
      ? signature.variants?.().find(({ context }) => signature.verify(accounts, context).accepted)
      : undefined;
  if (!vendor) return diagnosedJudgement(service, signature, verification);
  const { name: vendorText, signer } = vendor;
  if (!service.isStrict) return { kind: 'right', signedIn, publicKey, vendorText, request };
  return diagnosedJudgement(service, signature, {
    reason: 'vendor-text',
    message: `the text signed is the one of ${signer} (${vendorText}); this server is strict and takes the one of the specification only (§5.2); sign that, or start it without --strict`,
  });
}

type Fault = Pick<WrongJudgement, 'reason' | 'message'>;

function wrongJudgement(
  { signedIn, publicKey }: Signature,
  { reason, message }: Fault,
): WrongJudgement {
  return { kind: 'wrong', signedIn, publicKey, reason, message };
}

/** The faults that a known mistake may explain better. */
const WORTH_DIAGNOSING: readonly string[] = [
  'authorization-malformed',
  'public-key-unknown',
  'signature-mismatch',
  'vendor-text',
];

function diagnosedJudgement(service: Service, signature: Signature, fault: Fault): Judgement {
  const wrong = wrongJudgement(signature, fault);
  const diagnosis = WORTH_DIAGNOSING.includes(fault.reason)
    ? findDiagnosis(service, signature)
    : undefined;
  return {
    ...hidePrivateKeys(service.accounts, { ...wrong, ...(diagnosis && { diagnosis }) }),
    request: signature.suspect,
  };
}

/** Diagnoses with the key pair of the account that the request names, or of the first account. */
function findDiagnosis(service: Service, { publicKey, suspect }: Signature): Diagnosis | undefined {
  const account = findAccount(service, publicKey) ?? service.accounts[0];
  if (!account) return undefined;
  const { isDevelopment, ...keys } = account;
  return service.diagnose(suspect, keys, isDevelopment);
}

function findAccount({ accounts }: Service, publicKey: string | undefined): Account | undefined {
  return accounts.find((account) => account.publicKey === publicKey);
}
