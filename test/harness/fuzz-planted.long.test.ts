import { expect, test } from 'vitest';
import { RUNS, someOf } from '../amount.ts';
import { hasPython, withoutPython } from '../python.ts';
import { type Finding, findingsIn } from './findings.ts';
import {
  PLANTED,
  PLANTED_IN_PYTHON,
  PLANTED_REFUSALS,
  type Planted,
  UNKNOWN_IN_PYTHON,
} from './planted.ts';
import { svcConformance } from './svc-conformance.ts';

/** Only one in this many planted mistakes is tested; SVC_TEST_RUNS tests more of them. */
const SHARE = 8;

/** The limits of an easily readable finding: the input as JSON, and the lines of the vector. */
const MOST_CHARACTERS = 250;
const MOST_LINES = 25;

async function findings(command: readonly string[], ...options: readonly string[]) {
  // The level advised includes requests that only HTTP or JSON rules out.
  const fixed = 'fuzz --seed 1 --runs 1000 --level advised'.split(' ');
  const parameters = [...fixed, ...options, '--', ...command];
  const { code, stdout, stderr } = await svcConformance(parameters);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  return findingsIn(stdout);
}

function expectSmall(found: readonly Finding[]): void {
  const shown = found.filter(({ vector }) => vector);
  expect(shown.length).toBeGreaterThan(0);
  for (const { vector, yaml } of shown) {
    expect(JSON.stringify(vector?.['input']).length).toBeLessThanOrEqual(MOST_CHARACTERS);
    expect(yaml?.length).toBeLessThanOrEqual(MOST_LINES);
  }
}

async function expectFound({ command, mistakes }: Planted): Promise<void> {
  const found = await findings(command);
  const causes = new Set(found.flatMap((finding) => finding.causes));
  expect([...causes].sort()).toEqual([...mistakes].sort());
  for (const { text } of found) {
    expect(text).not.toContain('unexplained');
    // A verifier alone does not show whether what it received or what it computed is wrong.
    if (!text.startsWith('FOUND REFUSED verify-')) expect(text).not.toContain('or one of');
  }
  expectSmall(found);
}

test.concurrent.each(someOf([...PLANTED, ...PLANTED_REFUSALS], SHARE))(
  'fuzzing finds $name, and nothing else, in a small request',
  expectFound,
);

test.skipIf(!hasPython).concurrent.each(someOf(PLANTED_IN_PYTHON, SHARE))(
  `fuzzing finds the mistakes of a Python adapter that $name${withoutPython}`,
  expectFound,
);

test.skipIf(!hasPython).concurrent.each(someOf(UNKNOWN_IN_PYTHON.toReversed(), SHARE))(
  `fuzzing shows a small failing request for a Python adapter that $name${withoutPython}`,
  async ({ command }) => {
    // For all operations, the search for an unknown cause takes many seconds.
    const found = await findings(command, ...(RUNS > 1 ? [] : ['--operation', 'url-encode']));
    expect(found.flatMap(({ causes }) => causes)).toEqual([]);
    for (const { text } of found) expect(text).toContain('unexplained: no known mistake');
    expect(found[0]?.text).toContain('nearest passing request: ');
    expectSmall(found);
  },
);
