/**
 * Lines about requests: the log, and one line for each request with a fault of the client.
 *
 * @module
 */
import { ACTION_ERRORS, FILE_ERRORS } from '../../../reference/server/messages/errors.ts';
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import type { Judgement } from '../../../reference/server/messages/judgement.ts';
import { hideSignatures } from '../../../reference/server/messages/redaction.ts';
import { escapeInvisible } from '../../engine/excerpt.ts';

/** Refusals that correct clients get too, because of what is stored. */
const ORDINARY: ReadonlySet<number> = new Set([
  FILE_ERRORS.bucketUnknown.code,
  FILE_ERRORS.fileUnknown.code,
  FILE_ERRORS.frozen.code,
  FILE_ERRORS.uploadUnknown.code,
  FILE_ERRORS.nameTaken.code,
  FILE_ERRORS.badPosition.code,
  FILE_ERRORS.badRange.code,
  FILE_ERRORS.preconditionFailed.code,
  ACTION_ERRORS.nameTaken.code,
  ACTION_ERRORS.bucketUnknown.code,
  ACTION_ERRORS.bucketNotEmpty.code,
]);

/** What is wrong and how to fix it, without the query; undefined for a request that is right. */
export function describeWrongRequest(exchange: Exchange): string | undefined {
  const { status, code, judgement } = exchange;
  const isRefused = judgement?.kind === 'wrong' || status >= 400 || code !== 0;
  // The server reports its own faults in other words, except that it lacks an operation.
  const isServerFault = status >= 500 && status !== 501;
  if (!isRefused || ORDINARY.has(code) || isServerFault) return undefined;
  const redacted = hideSignatures(exchange);
  const { method, host, target, operation, message = '' } = redacted;
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split('?');
  const what = method === 'CONNECT' ? target : `${host}${path}`;
  const request =
    method === ''
      ? 'a connection'
      : `${method} ${what}${operation === undefined ? '' : ` (${operation})`}`;
  const [reason = ''] = (describeCauses(redacted) ?? message).split('\n');
  return escapeInvisible(`${status} ${request}: ${reason}`);
}

/** The first explanation of a wrong signature, and how many there are; without one, where the string to sign is. */
function describeCauses({ judgement }: Exchange): string | undefined {
  const diagnosis = judgement?.kind === 'wrong' ? judgement.diagnosis : undefined;
  const [first, ...others] = diagnosis?.causes ?? [];
  if (!first) {
    const isUnexplained = judgement?.kind === 'wrong' && judgement.reason === 'signature-mismatch';
    return isUnexplained ? `${judgement.message} (see /-/wrong)` : undefined;
  }
  const text = first
    .map(({ cause, fix, page }) => `${cause}; fix: ${fix}${page ? `; page: ${page}` : ''}`)
    .join('; and ');
  return others.length === 0
    ? text
    : `${text} (or one of ${others.length} other causes, see /-/wrong)`;
}

export function formatLogLine(exchange: Exchange): string {
  const { arrived, judgement, headers: _, ...rest } = hideSignatures(exchange);
  return `${JSON.stringify({
    time: new Date(arrived).toISOString(),
    ...rest,
    ...(judgement && { signature: describeSignature(judgement) }),
  })}\n`;
}

function describeSignature(judgement: Judgement): object {
  switch (judgement.kind) {
    case 'unsigned':
      return { is: 'none' };
    case 'right': {
      const { signedIn, publicKey, vendorText } = judgement;
      return { is: 'right', signedIn, publicKey, vendorText };
    }
    case 'wrong': {
      const { signedIn, publicKey, reason, message, diagnosis } = judgement;
      const causes = diagnosis?.causes.map((together) =>
        together.map(({ id, cause }) => id ?? cause),
      );
      return { is: 'wrong', signedIn, publicKey, reason, message, causes };
    }
  }
}
