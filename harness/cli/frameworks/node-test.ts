/**
 * Every vector as a test of Node's test runner: `import { conformance } from 'svc-conformance/node-test'`.
 *
 * @module
 */
import { after, describe, test } from 'node:test';
import type { Signer } from '../../respondents/module/signer.ts';
import type { ConformanceOptions } from './options.ts';
import { type Framework, registerVectors } from './vector-tests.ts';

export type { Signer } from '../../respondents/module/signer.ts';
export type { ConformanceOptions } from './options.ts';

const NODE_TEST: Framework = {
  describe,
  afterAll: after,
  skip: (name) => test.skip(name),
  test: (name, check) =>
    test(name, async (context) => {
      const reason = await check();
      if (reason !== undefined) context.skip(reason);
    }),
};

/** Registers a test for each vector, in a `describe` for each operation. */
export function conformance(signer: Signer, options: ConformanceOptions = {}): void {
  registerVectors(NODE_TEST, signer, options);
}
