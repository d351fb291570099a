/**
 * Every vector as a test of jest: `const { conformance } = require('svc-conformance/jest')`.
 *
 * @module
 */
import { afterAll, describe, test } from '@jest/globals';
import type { Signer } from '../../respondents/module/signer.ts';
import type { ConformanceOptions } from './options.ts';
import { type Framework, registerVectors } from './vector-tests.ts';

export type { Signer } from '../../respondents/module/signer.ts';
export type { ConformanceOptions } from './options.ts';

/** Registers a test for each vector, in a `describe` for each operation. */
export function conformance(signer: Signer, options: ConformanceOptions = {}): void {
  registerVectors(createFramework(), signer, options);
}

/** Jest cannot skip a test that is already running: it passes, and a warning at the end names it. */
function createFramework(): Framework {
  const late: string[] = [];
  return {
    describe,
    afterAll: (action) =>
      afterAll(async () => {
        await action();
        if (late.length > 0) console.warn(lateSentence(late));
      }),
    skip: (name) => test.skip(name, () => {}),
    test: (name, check) =>
      test(name, async () => {
        const reason = await check();
        if (reason !== undefined) late.push(`${name} (${reason})`);
      }),
    skipsEarly: true,
  };
}

function lateSentence(late: readonly string[]): string {
  const tests = late.length === 1 ? '1 test' : `${late.length} tests`;
  return `jest cannot skip a test that is running, so ${tests} without a verdict passed: ${late.join(', ')}`;
}
