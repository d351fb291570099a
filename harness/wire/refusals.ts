/**
 * Refusals that say themselves what is wrong, as causes.
 *
 * @module
 */
import { FILE_ERRORS } from '../../reference/server/errors.ts';
import type { Exchange } from '../../reference/server/exchange.ts';
import type { FoundCause } from '../diagnosis/diagnose.ts';
import { ruleOfRefusal } from '../explain/refusal-rules.ts';
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

/** Why a request is not signed as the specification says, though the server may accept it. */
export function signatureFault(exchange: Exchange): Refusal | undefined {
  const { judgement } = exchange;
  if (judgement?.kind !== 'right' || judgement.vendorText === undefined) return refusalOf(exchange);
  return {
    reason: 'vendor-text',
    message: `the text signed is ${judgement.vendorText}, which published SDKs sign and the service takes; it is not that of the specification`,
  };
}

/** A wrong signature has a cause behind it, and only that is one. */
const UNTOLD: readonly string[] = ['signature-mismatch', 'vendor-text'];

interface Refused {
  readonly refusal: Refusal;
  readonly isUrl: boolean;
  readonly explains: string[];
}

/** A cause for each reason that there is. */
export function refusalCauses(requests: readonly ClientRequest[]): readonly FoundCause[] {
  const byReason = new Map<string, Refused>();
  for (const { id, exchange } of requests) {
    const refusal = refusalOf(exchange);
    if (!refusal || UNTOLD.includes(refusal.reason)) continue;
    const isUrl = exchange.judgement?.kind === 'wrong' && exchange.judgement.signedIn === 'url';
    const entry = byReason.get(refusal.reason) ?? { refusal, isUrl, explains: [] };
    entry.explains.push(id);
    byReason.set(refusal.reason, entry);
  }
  return [...byReason.values()].map(({ refusal, isUrl, explains }): FoundCause => {
    const { cause, fix } = clauses(refusal.message);
    const rule = ruleOfRefusal(refusal.reason, refusal.message, isUrl) ?? '5/mismatch-refused';
    return {
      // No step of the specification goes wrong.
      mistake: { id: refusal.reason, rule, wrong: cause, fix },
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
