import { expect, test } from 'vitest';
import { RUNS } from '../amount.ts';
import { run, svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';
import { testUsageErrors } from './usage-errors.ts';

const mistaken = (...ids: readonly string[]): readonly string[] =>
  program('makes-mistakes', ...ids);

test.concurrent('--bail stops at the first failure and explains it', async () => {
  const { code, stdout } = await run('authorization --bail', mistaken('folds-kept'));
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {2}total {5}\d+ pass · 1 fail/m);
  expect(stdout).toMatch(/stopped at the first failure; \d+ vectors were not asked/);
  expect(stdout).toMatch(/^CAUSE /m);
});

test.concurrent('--bail changes nothing for an adapter that passes', async () => {
  const { code, stdout } = await run('url-encode --bail', mistaken());
  expect(code).toBe(0);
  expect(stdout).not.toContain('stopped');
});

test.concurrent('--exclude leaves vectors out', async () => {
  const listed = (...options: readonly string[]) => svcConformance(['list', 'etag', ...options]);
  const [all, some] = await Promise.all([listed(), listed('--exclude', 'etag/contents/**')]);
  expect(all.stdout).toMatch(/^etag\/contents\//m);
  expect(some.stdout).not.toMatch(/^etag\/contents\//m);
  expect(all.stdout.startsWith('etag/')).toBe(true);
  expect(some.stdout.split('\n').length).toBeGreaterThan(1);
});

testUsageErrors([['list etag --exclude etag/no-such', 'no vector matches "etag/no-such"']]);

const MIB = 'etag/blocks/hashes-4-mib-minus-1-as-a-whole';
const GIB = 'etag/blocks/counts-256-blocks-of-1-gib-in-two-bytes';
/** In `npm test`, smaller contents, which do not show the mistake: hashing a gibibyte takes seconds. */
const [ONE, SOME] = RUNS > 1 ? [GIB, 'etag/blocks/counts*'] : [MIB, 'etag/blocks/hashes-8*'];

test.concurrent('large vectors are asked with --large or by their ids, and a mistake that only they reveal is named as the cause', async () => {
  const runEtag = (line: string) => run(`${line} --no-fresh`, mistaken('etag-count-in-first-byte'));
  const [small, glob, one, all, listed] = await Promise.all([
    runEtag('etag'),
    runEtag(SOME),
    runEtag(ONE),
    runEtag(`${SOME} --large`),
    svcConformance(['list', 'etag']),
  ]);
  expect(small.code).toBe(0);
  expect(glob).toMatchObject({ code: 2, stdout: '' });
  expect(glob.stderr).toContain('only vectors with large files match; add --large');
  for (const { code, stdout } of [one, all]) {
    expect(code).toBe(RUNS > 1 ? 1 : 0);
    expect(stdout).toMatch(
      RUNS > 1 ? /^CAUSE etag-count-in-first-byte$/m : /^ {2}observed +1 pass$/m,
    );
  }
  expect(listed.stdout).toContain(GIB);
});
