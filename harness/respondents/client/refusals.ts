/**
 * Why the server refused a request; refusals that name their reason are causes themselves.
 *
 * @module
 */
import { FILE_ERRORS } from '../../../reference/server/messages/errors.ts';
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import type { FoundCause } from '../../engine/diagnosis/diagnose.ts';
import { findRefusalRule } from '../../engine/explain/signed-request.ts';
import type { ClientRequest } from './client-request.ts';

export interface Refusal {
  readonly reason: string;
  /** One sentence: what is wrong, the observed value, the rule, and after the last semicolon the fix. */
  readonly message: string;
}

const MISSING: Refusal = {
  reason: 'signature-missing',
  message:
    'the request has no signature, and only reads of a public bucket need none; sign it (§5.2), or start with --bucket NAME:public',
};

/** Finds why a request was refused for its signature, or for a missing one; undefined otherwise. */
function findRefusal({ judgement, code }: Exchange): Refusal | undefined {
  if (judgement?.kind === 'wrong') return judgement;
  return code === FILE_ERRORS.signatureMissing.code ? MISSING : undefined;
}

/** Finds why the signature is not that of the specification, even if the server accepts it. */
export function findSignatureFault(exchange: Exchange): Refusal | undefined {
  const { judgement } = exchange;
  if (judgement?.kind !== 'right' || judgement.vendorText === undefined)
    return findRefusal(exchange);
  return {
    reason: 'vendor-text',
    message: `the signed text is ${judgement.vendorText}, which published SDKs sign and the service accepts; it is not the text of the specification`,
  };
}

/** Reasons that do not tell the cause. */
const UNSPECIFIC: readonly string[] = ['signature-mismatch', 'vendor-text'];

interface RefusalGroup {
  readonly refusal: Refusal;
  readonly isUrl: boolean;
  readonly explains: string[];
}

/** Finds one cause for each reason. */
export function findRefusalCauses(requests: readonly ClientRequest[]): readonly FoundCause[] {
  const byReason = new Map<string, RefusalGroup>();
  for (const { id, exchange } of requests) {
    const refusal = findRefusal(exchange);
    if (!refusal || UNSPECIFIC.includes(refusal.reason)) continue;
    const isUrl = exchange.judgement?.kind === 'wrong' && exchange.judgement.signedIn === 'url';
    const entry = byReason.get(refusal.reason) ?? { refusal, isUrl, explains: [] };
    entry.explains.push(id);
    byReason.set(refusal.reason, entry);
  }
  return [...byReason.values()].map(({ refusal, isUrl, explains }): FoundCause => {
    const { cause, fix } = splitMessage(refusal.message);
    const rule = findRefusalRule(refusal.reason, refusal.message, isUrl) ?? '5/mismatch-refused';
    return {
      // Without steps, because no step of the specification goes wrong.
      mistake: { id: refusal.reason, rule, wrong: cause, fix },
      confidence: 'exact',
      others: [],
      explains,
    };
  });
}

function splitMessage(message: string): { readonly cause: string; readonly fix: string } {
  const end = message.lastIndexOf('; ');
  return end < 0
    ? { cause: message, fix: 'follow the rule' }
    : { cause: message.slice(0, end), fix: message.slice(end + 2) };
}
