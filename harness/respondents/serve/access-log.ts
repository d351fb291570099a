/**
 * The access log: one line of JSON for each request, without private keys and without reusable signatures.
 *
 * @module
 */
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import type { Judgement } from '../../../reference/server/messages/judgement.ts';
import { hideSignatures } from '../../../reference/server/messages/redaction.ts';

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
