import { expect, test } from 'vitest';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { RUNS, someOf } from '../amount.ts';
import { hasPython, withoutPython } from '../python.ts';
import { answerWith, findCauses, findFullCauses, making, makingIf } from './find-causes.ts';
import { PLANTED, PLANTED_IN_PYTHON, type Planted, UNKNOWN_IN_PYTHON } from './planted.ts';
import { run, svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

/** What a run reports about the mistakes of an adapter. */
async function reportOn(command: readonly string[], ...ids: readonly string[]) {
  const { code, stdout } = await svcConformance(['run', ...ids, '--', ...command]);
  expect(code).toBe(1);
  return {
    causes: [...stdout.matchAll(/^CAUSE (\S+)/gm)].map(([, id = '']) => id).sort(),
    unsure: stdout.includes('(one of several)'),
    unexplained: /^UNEXPLAINED/m.test(stdout),
  };
}

const expectNamed = async ({ command, mistakes }: Planted): Promise<void> => {
  const report = await reportOn(command);
  expect(report).toEqual({ causes: [...mistakes].sort(), unsure: false, unexplained: false });
};

test.concurrent.each(someOf(PLANTED, 6))('a run names exactly $name', expectNamed);

test.skipIf(!hasPython).concurrent.each(someOf(PLANTED_IN_PYTHON, 3))(
  `a run names exactly the mistakes of a Python adapter that $name${withoutPython}`,
  expectNamed,
);

test.concurrent('a mistake in a single operation is named with this operation', async () => {
  const { stdout } = await run('', program('shares-a-mistake', 'action-json', 'json-nested'));
  expect(stdout).toMatch(/^CAUSE json-nested$/m);
  expect(stdout).toContain('only in action-json');
  expect(stdout).not.toMatch(/^UNEXPLAINED/m);
});

test.concurrent('a mistake is named even if unnecessary causes take its place during the search', async () => {
  const shared = ['flattened-list/from-one-by-first', 'number-text+json-value/python-floats'];
  const ofSigners = ['action-hexadecimal-upper-case', 'escape-space-as-plus'];
  const operations = ['action-signature', 'action-json', 'action-query', 'verify-json'];
  const causes = await findCauses(operations, (question) =>
    question.operation === 'verify-json'
      ? answerWith(question, ...shared)
      : answerWith(question, ...shared, ...ofSigners),
  );
  const all = [...shared, ...ofSigners].map((id) => [id, 'exact']);
  expect(causes).toEqual(expect.arrayContaining(all));
  expect(causes).toHaveLength(all.length);
});

test.concurrent('a cheap mistake that breaks explained answers does not hide a costlier one that breaks none', async () => {
  const made = ['action-text-without-names', 'list-items/texts-astral-lost'];
  const causes = await findCauses(['action-signature', 'action-json'], making(...made));
  expect(causes).toEqual(made.map((id) => [id, 'exact']));
});

test.concurrent('a cause that only undoes another one is not certain', async () => {
  // The public key is correct, unlike the other encoded texts.
  const causes = await findFullCauses(
    ['presigned-url', 'instant-upload'],
    making('url-encode/dotnet-http-beside-paths', 'presigned-public-key/component'),
  );
  const known = causes.map(({ mistake, confidence, others }) => [mistake.id, confidence, others]);
  expect(known).toContainEqual(['presigned-public-key/component', 'one of', []]);
});

test.concurrent('a mistake in all operations is reported without a list of operations', async () => {
  const { stdout } = await run('', program('makes-mistakes', 'json-nested'));
  expect(stdout).toMatch(/^CAUSE json-nested$/m);
  expect(stdout).not.toContain('\n  only in ');
});

test.skipIf(!hasPython).concurrent.each(someOf(UNKNOWN_IN_PYTHON, 3))(
  `no cause is named for the unknown mistake of a Python adapter that $name${withoutPython}`,
  async ({ command }) => {
    // For all operations, the search for an unknown cause takes seconds.
    const report = await reportOn(command, ...(RUNS > 1 ? [] : ['authorization']));
    expect(report).toEqual({ causes: [], unsure: false, unexplained: true });
  },
);

test.concurrent('a changed text is one of several causes if the only evidence is that a verifier accepts or refuses', async () => {
  const { stdout } = await run('', program('makes-mistakes', 'received-body/cut-at-space'));
  expect(stdout).toMatch(/^CAUSE received-body\/\S+ \(one of several\)$/m);
});

test.concurrent('a mistake that only verifiers can make is reported without a list of operations', async () => {
  const { stdout } = await run('', program('makes-mistakes', 'verified-headers/without-first'));
  expect(stdout).toMatch(/^CAUSE verified-headers\//m);
  expect(stdout).not.toContain('\n  only in ');
});

test.concurrent('a mistake that two others explain together is the only cause', async () => {
  const causes = await findCauses(['instant-upload'], making('instant-upload-value/base-name-2'));
  expect(causes).toEqual([['instant-upload-value/base-name-2', 'exact']]);
});

test.concurrent('a mistake of a verifier is certain if the answers of signers contradict its alternatives', async () => {
  const operations = ['action-json', 'verify-json'];
  const isVerified = ({ operation }: Question): boolean => operation === 'verify-json';
  const answer = makingIf(isVerified, 'verify-json-numbers-in-doubles');
  expect(await findCauses(operations, answer)).toEqual([
    ['verify-json-numbers-in-doubles', 'exact'],
  ]);
  const [alone] = await findFullCauses(['verify-json'], answer);
  expect(alone?.others.map(({ id }) => id)).toContain('number-double');
});

test.concurrent('exceptions choose among the mistakes that fit the wrong answers', async () => {
  const throwing = (question: Question): Reply => {
    const reply = answerWith(question, 'policy-bytes/latin-1-refused');
    return reply.kind === 'refused' ? { kind: 'error', message: 'InvalidCharacterError' } : reply;
  };
  const [cause, ...others] = await findFullCauses(['policy'], throwing);
  expect(others).toEqual([]);
  expect(cause).toMatchObject({
    mistake: { id: 'policy-bytes/latin-1-refused' },
    confidence: 'exact',
  });
  expect(cause?.explains).toContain('policy/encoding/encodes-non-ascii-letters-in-utf-8');
});
