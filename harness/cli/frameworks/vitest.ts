/**
 * Every vector as a test of your own suite: `import { conformance } from 'svc-conformance/vitest'`.
 *
 * @module
 */
import { afterAll, describe, test } from 'vitest';
import type { Signer } from '../../respondents/module/signer.ts';
import type { ConformanceOptions } from './options.ts';
import { type Framework, registerVectors } from './vector-tests.ts';

export type { Signer } from '../../respondents/module/signer.ts';
export type { ConformanceOptions } from './options.ts';

const VITEST: Framework = {
  describe,
  afterAll,
  skip: (name) => test.skip(name),
  test: (name, check) =>
    test(name, async ({ skip }) => {
      const reason = await check();
      if (reason !== undefined) skip(reason);
    }),
};

/** Registers a test for each vector, in a `describe` for each operation. */
export function conformance(signer: Signer, options: ConformanceOptions = {}): void {
  registerVectors(VITEST, signer, options);
}
