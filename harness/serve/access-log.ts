/**
 * One line of JSON for each request; it holds no private key and no signature that could be used again.
 *
 * @module
 */
import type { Exchange } from '../../reference/server/exchange.ts';
import type { Judgement } from '../../reference/server/judgement.ts';
import { withoutSignature } from '../../reference/server/redacted.ts';

export function logLine(exchange: Exchange): string {
  const { arrived, judgement, headers: _, ...rest } = withoutSignature(exchange);
  return `${JSON.stringify({
    time: new Date(arrived).toISOString(),
    ...rest,
    ...(judgement && { signature: signatureOf(judgement) }),
  })}\n`;
}

function signatureOf(judgement: Judgement): object {
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
