/**
 * Command lines that are refused with one line of error.
 *
 * @module
 */
import { expect, test } from 'vitest';
import { type CallCircumstances, svcConformance, wordsOf } from './svc-conformance.ts';

/** Expects exit code 2, no output, and one line of error that contains the sentence; returns this line. */
export async function expectUsageError(
  parameters: readonly string[],
  sentence: string,
  circumstances: CallCircumstances = {},
): Promise<string> {
  const { code, stdout, stderr } = await svcConformance(parameters, circumstances);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^svc-conformance: .+\n$/);
  expect(stderr).toContain(sentence);
  return stderr;
}

/** Tests command lines, each with a sentence of its error. No row may depend on another. */
export function testUsageErrors(
  rows: readonly (readonly [line: string, sentence: string])[],
): void {
  test.concurrent.each(rows)('svc-conformance %s is a usage error', async (line, sentence) => {
    await expectUsageError(wordsOf(line), sentence);
  });
}
