import { expect, test } from 'vitest';
import { explainSignature } from '../../harness/engine/explain/explanation.ts';
import { listOtherRequests } from '../../harness/engine/explain/other-request.ts';
import {
  listSignedLines,
  type SignedRequest,
} from '../../harness/engine/explain/signed-request.ts';
import { type Pair, SPECIFICATION, SVC } from '../../reference/signing/index.ts';
import { RUNS } from '../amount.ts';

const KEYS = { publicKey: 'pub-example', privateKey: 'priv-example' };

/** A request with many extra headers or parameters that counts how often their names are read. */
function counted(kind: 'header' | 'parameters', count: number) {
  let reads = 0;
  const pairs = Array.from({ length: count }, (_, i): Pair => {
    const pair: [string, string] = [`X-Svc-${i}`, `${i}`];
    Object.defineProperty(pair, 0, {
      get: () => {
        reads += 1;
        return `X-Svc-${i}`;
      },
    });
    return pair;
  });
  const sent = { publicKey: KEYS.publicKey, signature: 'A', written: 'A' };
  const rest = { dialect: SVC, sent, origin: { bucket: '', key: '' }, notes: [] };
  const signed: SignedRequest =
    kind === 'header'
      ? {
          ...rest,
          kind,
          request: { method: 'PUT', bucket: 'b', key: 'k', headers: pairs },
          policy: '',
          path: '/k',
          query: '',
        }
      : {
          ...rest,
          kind,
          form: 'query',
          carrier: 'query parameter',
          text: '',
          parameters: [...pairs, ['Action', 'A']],
        };
  return { signed, reads: () => reads };
}

/** How often names are read while the signed lines and the other requests are listed. */
function work(kind: 'header' | 'parameters', count: number): number {
  const { signed, reads } = counted(kind, count);
  expect(listSignedLines(signed, SPECIFICATION).length).toBeGreaterThanOrEqual(count);
  const others = listOtherRequests(signed, KEYS, SPECIFICATION);
  expect(others.map((other) => other.signed).length).toBeGreaterThan(50);
  return reads();
}

test.each(['header', 'parameters'] as const)(
  'four times the pairs of kind %s take explain less than five times the work',
  (kind) => {
    expect(work(kind, 2000) / work(kind, 500)).toBeLessThan(5);
  },
);

/** The lines. In `npm test` without a search for causes, which takes many seconds. */
const linesOf = (signed: SignedRequest): readonly unknown[] =>
  RUNS > 1
    ? explainSignature(signed, { keys: KEYS, now: 0, rules: [] }).lines
    : listSignedLines(signed, SPECIFICATION);

test('a request with 130,000 headers is explained', () => {
  // More than Node allows as arguments of one call.
  const { signed } = counted('header', 130_000);
  expect(linesOf(signed).length).toBeGreaterThan(130_000);
});
