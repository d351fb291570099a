import { expect, test } from 'vitest';
import { selectForgeries } from '../../dist/harness/engine/judge/forgery.js';
import { bundledForgeries, bundledSuite } from '../../dist/harness/suite/bundle.js';
import type { Vector } from '../../harness/engine/vector.ts';
import { RUNS, someOf } from '../amount.ts';
import { unwrapped } from './svc-conformance.ts';
import { program, watchedRun } from './trial.ts';

const VERIFIERS = ['verify-authorization', 'verify-json', 'verify-presigned-url', 'verify-query'];
const vectors: readonly Vector[] = bundledSuite().vectors;

interface Report {
  readonly code: number | null;
  readonly stdout: string;
  /** The sentences about verifiers that accept or refuse everything. */
  readonly blind: readonly string[];
  /** Each mistake that no cause explains, after the operations that accept requests with it. */
  readonly shared: readonly string[];
  readonly causes: readonly string[];
}

const FORGED = /^FORGED (.*?)(?: also)? accepts?(?: only)? requests with the mistake ([^ :]+)/gm;

async function reportOn(command: readonly string[], line = ''): Promise<Report> {
  const { code, stdout } = await watchedRun(line, command);
  return {
    code,
    stdout,
    blind: stdout.match(/^verify-\S+ (?:accepts|refuses) .*$/gm) ?? [],
    shared: [...stdout.matchAll(FORGED)].map(
      ([, operations = '', mistake = '']) => `${operations}: ${mistake}`,
    ),
    causes: [...stdout.matchAll(/^CAUSE (\S+)/gm)].map(([, id = '']) => id),
  };
}

/** In `npm test`, only the operations of verifiers. */
const VERIFYING = RUNS > 1 ? '' : 'verify-* --forged --no-fresh';

function reportOnVerifier(command: readonly string[], line = ''): Promise<Report> {
  return reportOn(command, `${VERIFYING} ${line}`);
}

/** How many requests of an operation must be refused, and how many of them are forged. */
function undue(operation: string, offered: readonly string[] = VERIFIERS): readonly number[] {
  const own = vectors.filter((vector) => vector.operation === operation && vector.refuse);
  const forged = selectForgeries(bundledForgeries(), offered).filter(
    (forgery) => forgery.operation === operation,
  );
  return [own.length, forged.length];
}

/** Verifiers and the mistake that they share with signers, which vectors show, too. */
const SHARED: readonly (readonly [operations: string, id: string])[] = [
  ['verify-presigned-url', 'presigned-as-get'],
  ['verify-query', 'parameters-sorted-by-locale'],
  ['verify-authorization,verify-presigned-url', 'folds-kept'],
];

test.each(someOf(SHARED, 2))(
  'the forged requests of %s are listed under its cause %s, and nowhere else',
  async (operations, id) => {
    const report = await reportOnVerifier(program('shares-a-mistake', operations, id));
    expect(report).toMatchObject({ code: 1, blind: [], shared: [], causes: [id] });
    expect(report.stdout).not.toMatch(/^(?:FORGED| {2}forged [a-z])/m);
    expect(report.stdout).toMatch(
      new RegExp(
        `^ {2}also explains \\d+ forged requests: .*1 accepted \\(verify-\\S+/${id}\\)`,
        'm',
      ),
    );
  },
);

test('a mistake that only forged requests show is one line, and its fix is at the end', async () => {
  const { stdout } = await reportOnVerifier(
    program('shares-a-mistake', 'verify-authorization', 'date-reformatted'),
  );
  expect(stdout).toMatch(
    /\n\nFORGED verify-authorization accepts only requests with the mistake date-reformatted: /,
  );
  expect(stdout).toMatch(/^ {2}forged +date-reformatted: \S/m);
});

test('with --all, such a mistake is shown with its cause, its fix, its rule and a request', async () => {
  const { stdout } = await reportOnVerifier(
    program('shares-a-mistake', 'verify-authorization', 'date-reformatted'),
    '--all',
  );
  const [, paragraph = ''] = /^FORGED (.*?)\n\n/ms.exec(stdout) ?? [];
  expect(unwrapped(paragraph)).toMatch(
    /cause: .* fix: .* rule: 5\.2\/\S+ \(observed\): .* request of [a-z-]+\/\S+: \{"method":"[A-Z]+"/,
  );
  expect(stdout).toMatch(/^ {2}forged {4}[0-9]+ refused · [0-9]+ accepted/m);
});

test('two mistakes of a verifier are two causes', async () => {
  const { shared, causes } = await reportOnVerifier(
    program('shares-a-mistake', 'verify-authorization', 'folds-kept', 'resource-encoded'),
  );
  expect({ shared, causes: [...causes].sort() }).toEqual({
    shared: [],
    causes: ['folds-kept', 'resource-encoded'],
  });
});

test('a verifier that accepts everything is reported as such, without a cause', async () => {
  const { code, stdout, blind, shared } = await reportOn(program('accepts-everything', '64'));
  expect({ code, shared }).toEqual({ code: 1, shared: [] });
  expect(blind).toEqual(
    VERIFIERS.map((name) => {
      const count = undue(name).reduce((a, b) => a + b);
      return `${name} accepts everything: it refused none of ${count} requests that must be refused`;
    }),
  );
  expect(stdout).not.toMatch(/^(?:CAUSE|UNEXPLAINED)/m);
});

test('the vectors alone show that a verifier accepts everything', async () => {
  const { blind } = await reportOn(program('accepts-everything', '64'), '--operation verify-query');
  const [count] = undue('verify-query');
  expect(blind).toEqual([
    `verify-query accepts everything: it refused none of ${count} requests that must be refused`,
  ]);
});

test('the cause is named if a verifier accepts all requests of a selection with only wrong signatures', async () => {
  const ids = bundledSuite()
    .vectors.filter(({ operation, refuse }) => {
      return operation === 'verify-query' && refuse?.reason === 'signature-mismatch';
    })
    .map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(5);
  const { blind, stdout } = await reportOn(
    program('makes-mistakes', 'verify-any-signature'),
    ids.join(' '),
  );
  expect(blind).toEqual([]);
  expect(stdout).toMatch(/^CAUSE verify-any-signature/m);
});

test('a verifier that checks everything except the signature is reported as such', async () => {
  const { code, blind, shared } = await reportOnVerifier(
    program('shares-a-mistake', 'verify-json', 'verify-any-signature'),
  );
  expect({ code, shared }).toEqual({ code: 1, shared: [] });
  const wrong = bundledForgeries().filter(
    ({ operation, reason, unlessOffered }) =>
      operation === 'verify-json' && reason === 'signature-mismatch' && !unlessOffered,
  );
  expect(blind).toEqual([
    `verify-json accepts any signature: it refused none of ${wrong.length} wrong ones`,
  ]);
});

test('a verifier that refuses everything is reported as such', async () => {
  const { code, blind, shared } = await reportOn(program('refuses', '64', 'verifications'));
  expect({ code, shared }).toEqual({ code: 1, shared: [] });
  expect(blind).toEqual(
    VERIFIERS.map((name) =>
      expect.stringMatching(
        `^${name} refuses everything: it accepted none of [0-9]+ correctly signed requests$`,
      ),
    ),
  );
});

test('an adapter that only verifies, and refuses everything, is reported as "never worked"', async () => {
  const { code, stdout } = await reportOn(program('only-verifies', '64', 'a-no'));
  expect(code).toBe(4);
  expect(unwrapped(stdout)).toContain(
    'it refuses everything: it accepted none of 4 correctly signed requests',
  );
});

test('--forged sends forged requests in another dialect, even if vectors are selected', async () => {
  const { stdout } = await reportOn(
    program('is-right', '64'),
    'verify-* --forged --dialect ucloud',
  );
  expect(stdout).toMatch(/^ {2}forged {4}2[0-9]{2} refused$/m);
});

test('the reason of the refusals decides between the causes of a verifier that refuses everything', async () => {
  const { stdout } = await reportOn(program('makes-mistakes', 'received-public-key/title-case'));
  expect(stdout).toMatch(/^CAUSE received-public-key\/\S+ \(one of several\)$/m);
  const other = await reportOn(program('makes-mistakes', 'verify-by-reference'));
  expect(other.stdout).toMatch(/^CAUSE verify-by-reference$/m);
});

test.each(someOf(['ucloud', 'svc'], 2))(
  'a correct verifier gets no cause in the dialect %s',
  async (dialect) => {
    const command = program('is-right', '64');
    const { code, stdout, blind, shared } = await reportOn(command, `--dialect ${dialect}`);
    expect({ code, blind, shared }).toEqual({ code: 0, blind: [], shared: [] });
    expect(stdout).toMatch(/^ {2}forged {4}2[0-9]{2} refused$/m);
  },
);

test('a correct verifier passes on fresh data', async () => {
  const { code, stdout } = await reportOn(program('is-right', '64'), '--fresh --seed 7');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}forged {4}2[0-9]+ refused$/m);
});

test('a cause explains forged requests in another dialect, too', async () => {
  const { code, shared, causes } = await reportOn(
    program('shares-a-mistake', 'verify-authorization', 'folds-kept'),
    '--dialect ucloud',
  );
  expect({ code, shared, causes }).toEqual({ code: 1, shared: [], causes: ['folds-kept'] });
});

test('the report of an adapter that does not verify mentions no forged requests', async () => {
  const { code, stdout } = await reportOn(program('offers-url-encode'));
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/forged/i);
});

test('no forged requests are sent if vectors are selected', async () => {
  const { code, stdout } = await reportOn(program('is-right', '64'), '--level must');
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/forged/i);
});
