/**
 * One signature against the specification, then against the texts of published SDKs (§5, E1).
 *
 * @module
 */
import type { Accounts, Context, Refusal, Verification } from '../../signing/index.ts';
import type { Diagnosis, Judgement, SignedIn, SuspectRequest } from '../judgement.ts';
import { withoutSecrets } from '../secret-keys.ts';
import type { Account, Service } from '../service.ts';
import type { VendorVariant } from './vendor-texts.ts';

/** A signature, and how it can be looked at. */
export interface Signature {
  readonly signedIn: SignedIn;
  /** Nothing where it cannot be made out. */
  readonly publicKey: string | undefined;
  readonly variants: readonly VendorVariant[];
  /** What refuses the request whatever its signature is. */
  readonly refusal?: Refusal | undefined;
  readonly verify: (accounts: Accounts, context: Context) => Verification<unknown>;
  readonly suspect: SuspectRequest;
}

/** Of these refusals, the known mistakes may say more than the refusal itself. */
const WORTH_DIAGNOSING: readonly string[] = [
  'authorization-malformed',
  'public-key-unknown',
  'signature-mismatch',
];

/** What the accounts of the service say of a signature. */
export function judged(service: Service, signature: Signature): Judgement {
  const { signedIn, publicKey, refusal, suspect: request } = signature;
  if (refusal) {
    const { reason, message } = refusal;
    return { kind: 'wrong', signedIn, publicKey, reason, message, request };
  }
  const accounts: Accounts = (publicKey) => accountOf(service, publicKey);
  const verification = signature.verify(accounts, service.context);
  if (verification.accepted) {
    return { kind: 'right', signedIn, publicKey: verification.publicKey, request };
  }
  const vendor =
    verification.reason === 'signature-mismatch'
      ? signature.variants.find(({ context }) => signature.verify(accounts, context).accepted)
      : undefined;
  if (vendor) return ofVendor(service, signature, vendor);
  return wrong(service, signature, verification);
}

function ofVendor(service: Service, signature: Signature, vendor: VendorVariant): Judgement {
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
    ...diagnosed(service, signature),
    request,
  };
}

function wrong(service: Service, signature: Signature, { reason, message }: Refusal): Judgement {
  const { signedIn, publicKey, suspect: request } = signature;
  const found = {
    kind: 'wrong',
    signedIn,
    publicKey,
    reason,
    message,
    ...(WORTH_DIAGNOSING.includes(reason) && diagnosed(service, signature)),
  } as const;
  return { ...withoutSecrets(service.accounts, found), request };
}

/** With the key of the account that the request names, or else of the first there is. */
function diagnosed(
  service: Service,
  { publicKey, suspect }: Signature,
): { readonly diagnosis?: Diagnosis } {
  const account = accountOf(service, publicKey) ?? service.accounts[0];
  if (!account) return {};
  const { isDevelopment, ...keys } = account;
  const diagnosis = service.diagnose(suspect, keys, isDevelopment);
  return diagnosis ? { diagnosis } : {};
}

function accountOf({ accounts }: Service, publicKey: string | undefined): Account | undefined {
  return accounts.find((account) => account.publicKey === publicKey);
}
