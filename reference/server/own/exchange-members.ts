/**
 * A request and its answer as JSON.
 *
 * @module
 */
import { signatureMember } from '../authentication/told-judgement.ts';
import type { Exchange } from '../exchange.ts';
import type { Judgement } from '../judgement.ts';

export function exchangeMembers(exchange: Exchange): object {
  const { id, arrived, took, method, host, target, headers, status, code } = exchange;
  const { operation, bucket, key, message, judgement } = exchange;
  return {
    id,
    time: new Date(arrived).toISOString(),
    milliseconds: Math.round(took),
    method,
    host,
    target,
    headers,
    operation,
    bucket,
    key,
    status,
    code,
    message,
    signature: judgement && judgementMembers(judgement),
  };
}

function judgementMembers(judgement: Judgement): object {
  switch (judgement.kind) {
    case 'unsigned':
      return { verdict: 'unsigned' };
    case 'right': {
      const { signedIn, publicKey, vendorText } = judgement;
      return { verdict: 'right', signedIn, publicKey, vendorText };
    }
    case 'wrong': {
      const { publicKey } = judgement;
      return { verdict: 'wrong', publicKey, ...signatureMember(judgement) };
    }
  }
}
