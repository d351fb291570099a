/**
 * Refusals that say themselves what is wrong, as causes.
 *
 * @module
 */
import { FILE_ERRORS } from '../../reference/server/errors.ts';
import type { Exchange } from '../../reference/server/exchange.ts';
import type { Cause } from '../diagnosis/diagnose.ts';
import type { ClientRequest } from './client-request.ts';

export interface Refusal {
  readonly reason: string;
  /** One sentence: what, observed, rule, way out. */
  readonly message: string;
}

const MISSING: Refusal = {
  reason: 'signature-missing',
  message:
    'the request has no signature, and only reads of a public bucket need none; sign it (§5.2), or start with --bucket NAME:public',
};

/** Why a request was refused for its signature, or for having none; nothing where it was not. */
export function refusalOf({ judgement, code }: Exchange): Refusal | undefined {
  if (judgement?.kind === 'wrong') return judgement;
  return code === FILE_ERRORS.signatureMissing.code ? MISSING : undefined;
}

/** A wrong signature has a cause behind it, and only that is one. */
const UNTOLD: readonly string[] = ['signature-mismatch', 'vendor-text'];

const RULES: Readonly<Record<string, string>> = {
  expired: '5.4/expiry',
  'public-key-unknown': '5/key-of-account',
  'expires-malformed': '5.4/expires-text',
};

/** A cause for each reason that there is. */
export function refusalCauses(requests: readonly ClientRequest[]): readonly Cause[] {
  const byReason = new Map<string, { readonly refusal: Refusal; readonly explains: string[] }>();
  for (const { id, exchange } of requests) {
    const refusal = refusalOf(exchange);
    if (!refusal || UNTOLD.includes(refusal.reason)) continue;
    const entry = byReason.get(refusal.reason) ?? { refusal, explains: [] };
    entry.explains.push(id);
    byReason.set(refusal.reason, entry);
  }
  return [...byReason.values()].map(({ refusal, explains }): Cause => {
    const { cause, fix } = clauses(refusal.message);
    const rule = RULES[refusal.reason] ?? '5/mismatch-refused';
    return {
      // No step of the specification goes wrong.
      mistake: { id: refusal.reason, rule, cause, fix, swap: {} },
      confidence: 'exact',
      others: [],
      explains,
    };
  });
}

/** A sentence of ours ends with the way out. */
function clauses(message: string): { readonly cause: string; readonly fix: string } {
  const end = message.lastIndexOf('; ');
  return end < 0
    ? { cause: message, fix: 'do as the rule says' }
    : { cause: message.slice(0, end), fix: message.slice(end + 2) };
}
