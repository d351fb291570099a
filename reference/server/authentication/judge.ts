/**
 * Judges a signature by the specification, then by the texts of published SDKs (§5, E1), for each possible bucket.
 *
 * @module
 */

import type { Account } from '../../secret-keys.ts';
import { hidePrivateKeys } from '../../secret-keys.ts';
import type { Accounts, Context, Refusal, SignedIn, Verification } from '../../signing/index.ts';
import type { VendorVariant } from '../../vendor-texts.ts';
import type { Diagnosis, Judgement, SuspectRequest } from '../messages/judgement.ts';
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
const MOST = 1000;

/** The judgement for the first bucket that the signature fits, or else for the first bucket. */
export function judgeCandidates(
  { buckets, isNamed }: Candidates,
  judgedFor: (bucket: Bucket, isLast: boolean) => Judgement,
): BucketJudgement {
  const [first, ...others] = buckets;
  // Only the last attempt, for the first bucket, is diagnosed.
  for (const bucket of others.slice(0, MOST)) {
    const judgement = judgedFor(bucket, false);
    if (judgement.kind === 'right') return { bucket, judgement };
  }
  const judgement = judgedFor(first, true);
  if (isNamed || judgement.kind !== 'wrong') return { bucket: first, judgement };
  return {
    bucket: first,
    judgement: { ...judgement, message: `${judgement.message}; ${unnamedHint(buckets)}` },
  };
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

/** A signature, and how to verify it. */
export interface Signature {
  readonly signedIn: SignedIn;
  /** The sent signature; undefined if it cannot be parsed. */
  readonly publicKey: string | undefined;
  /** The texts of published SDKs, which are tried only if the text of the specification does not fit. */
  readonly variants: () => readonly VendorVariant[];
  /** Refuses the request before its signature is compared. */
  readonly refusal?: Refusal | undefined;
  readonly verify: (accounts: Accounts, context: Context) => Verification<unknown>;
  readonly suspect: SuspectRequest;
}

/** Refusals that a known mistake may explain better. */
const WORTH_DIAGNOSING: readonly string[] = [
  'authorization-malformed',
  'public-key-unknown',
  'signature-mismatch',
];

export function judgeSignature(service: Service, signature: Signature): Judgement {
  const { signedIn, publicKey, refusal, suspect: request } = signature;
  if (refusal) {
    const { reason, message } = refusal;
    return { kind: 'wrong', signedIn, publicKey, reason, message, request };
  }
  const accounts: Accounts = (publicKey) => findAccount(service, publicKey);
  const verification = signature.verify(accounts, service.context);
  if (verification.accepted) {
    return { kind: 'right', signedIn, publicKey: verification.publicKey, request };
  }
  const vendor =
    verification.reason === 'signature-mismatch'
      ? signature.variants().find(({ context }) => signature.verify(accounts, context).accepted)
      : undefined;
  if (vendor) return vendorJudgement(service, signature, vendor);
  return wrongJudgement(service, signature, verification);
}

function vendorJudgement(service: Service, signature: Signature, vendor: VendorVariant): Judgement {
  const { signedIn, publicKey = '', suspect: request } = signature;
  if (!service.isStrict) {
    return { kind: 'right', signedIn, publicKey, vendorText: vendor.name, request };
  }
  return {
    kind: 'wrong',
    signedIn,
    publicKey,
    reason: 'vendor-text',
    message: `the text signed is the one of ${vendor.signer} (${vendor.name}); this server is strict and takes the one of the specification only (§5.2); sign that, or start it without --strict`,
    ...findDiagnosis(service, signature),
    request,
  };
}

function wrongJudgement(
  service: Service,
  signature: Signature,
  { reason, message }: Refusal,
): Judgement {
  const { signedIn, publicKey, suspect: request } = signature;
  const found = {
    kind: 'wrong',
    signedIn,
    publicKey,
    reason,
    message,
    ...(WORTH_DIAGNOSING.includes(reason) && findDiagnosis(service, signature)),
  } as const;
  return { ...hidePrivateKeys(service.accounts, found), request };
}

/** Diagnoses with the key pair of the account that the request names, or of the first account. */
function findDiagnosis(
  service: Service,
  { publicKey, suspect }: Signature,
): { readonly diagnosis?: Diagnosis } {
  const account = findAccount(service, publicKey) ?? service.accounts[0];
  if (!account) return {};
  const { isDevelopment, ...keys } = account;
  const diagnosis = service.diagnose(suspect, keys, isDevelopment);
  return diagnosis ? { diagnosis } : {};
}

function findAccount({ accounts }: Service, publicKey: string | undefined): Account | undefined {
  return accounts.find((account) => account.publicKey === publicKey);
}
