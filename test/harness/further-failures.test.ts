import { expect, test } from 'vitest';
import type { Diagnosis, FoundCause } from '../../harness/engine/diagnosis/diagnose.ts';
import { addFurtherFailures } from '../../harness/engine/diagnosis/further-failures.ts';
import { replyWithMistakes } from '../../harness/engine/diagnosis/reference-reply.ts';
import { parseDialect } from '../../harness/engine/dialects.ts';
import { askForgeries, type ForgedOutcome } from '../../harness/engine/judge/forgery.ts';
import { isForgedFailure } from '../../harness/engine/judge/summary.ts';
import { findSharedMistakes } from '../../harness/engine/judge/verifiers.ts';
import { otherCause } from '../../harness/engine/other-causes.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { BUNDLED, bundledForgeries } from '../../harness/suite/bundle.ts';
import { MISTAKES, type Mistake } from '../../reference/mistakes/index.ts';

const SVC = parseDialect('svc');
const FORGERIES = bundledForgeries().filter(
  ({ operation }) => operation === 'verify-authorization',
);

const mistakesNamed = (...ids: readonly string[]): readonly Mistake[] =>
  MISTAKES.filter(({ id }) => ids.includes(id));

const asCause = (mistake: FoundCause['mistake']): FoundCause => ({
  mistake,
  confidence: 'exact',
  others: [],
  explains: ['verify-authorization/x/y'],
});

const answering = (answer: (question: Question) => Reply) =>
  askForgeries({ ask: async (questions) => questions.map(answer) }, FORGERIES);

const answeringWith = (mistakes: readonly Mistake[]) =>
  answering((question) => replyWithMistakes(question, mistakes, SVC));

/** The failed forged requests, with their causes. */
function explain(
  forged: readonly ForgedOutcome[],
  causes: Diagnosis['causes'],
): readonly ForgedOutcome[] {
  const run = { outcomes: [], forged, banner: 0 };
  const explained = addFurtherFailures(run, { causes, unexplained: [] }, SVC, BUNDLED);
  return (explained.forged ?? []).filter(isForgedFailure);
}

const namesOf = (failed: readonly ForgedOutcome[]): ReadonlySet<string> =>
  new Set(failed.map(({ causes = ['none'] }) => causes.join(' ')));

const BOTH = mistakesNamed('folds-kept', 'resource-encoded');

test('the mistakes of a verifier explain all forged requests that it accepts or does not judge', async () => {
  const failed = explain(await answeringWith(BOTH), BOTH.map(asCause));
  expect(new Set(failed.map(({ verdict }) => verdict.status))).toEqual(
    new Set(['fail', 'inconclusive']),
  );
  expect(namesOf(failed)).toEqual(
    new Set(['folds-kept', 'resource-encoded', 'folds-kept resource-encoded']),
  );
});

test('what another mistake does has no cause', async () => {
  const [kept] = mistakesNamed('folds-kept').map(asCause);
  const failed = explain(await answeringWith(BOTH), kept ? [kept] : []);
  expect(namesOf(failed)).toEqual(new Set(['folds-kept', 'none']));
});

test('a mistake in other operations explains nothing', async () => {
  const elsewhere = BOTH.map((mistake) => ({ ...asCause(mistake), within: ['verify-query'] }));
  const failed = explain(await answeringWith(BOTH), elsewhere);
  expect(namesOf(failed)).toEqual(new Set(['none']));
});

test('a cause without steps explains the correct requests that it refuses', async () => {
  const isLong = ({ input }: Question): boolean => (input.headers ?? []).length > 2;
  const refused: Reply = { kind: 'refused', reason: 'header-value', message: '' };
  const outcomes = await answering((question) =>
    isLong(question) ? refused : replyWithMistakes(question, [], SVC),
  );
  const cause = { ...asCause(otherCause('undue-refusal')), refuses: isLong };
  const failed = explain(outcomes, [cause]);
  expect(failed.length).toBeGreaterThan(1);
  expect(namesOf(failed)).toEqual(new Set(['undue-refusal']));
});

test('exceptions instead of refusals explain the exceptions of forged requests', async () => {
  const outcomes = await answering((question) => {
    const reply = replyWithMistakes(question, [], SVC);
    return reply.kind === 'refused' ? { kind: 'error', message: 'refused' } : reply;
  });
  const failed = explain(outcomes, [asCause(otherCause('exception-for-refusal'))]);
  expect(failed).toHaveLength(FORGERIES.length);
  expect(namesOf(failed)).toEqual(new Set(['exception-for-refusal']));
});

test('a verifier that also accepts a wrong request does not share the mistake, unless it refuses the correct one', async () => {
  const [mistake] = mistakesNamed('folds-kept');
  const isKept = ({ mistakes }: { readonly mistakes: readonly Mistake[] }): boolean =>
    mistakes.some(({ id }) => id === 'folds-kept');
  const shared = findSharedMistakes(await answeringWith(mistake ? [mistake] : []));
  expect(shared.find(isKept)).toMatchObject({ isMade: true });
  const lenient = await answering((question) => {
    const reply = replyWithMistakes(question, [], SVC);
    return reply.kind === 'refused'
      ? replyWithMistakes(question, mistake ? [mistake] : [], SVC)
      : reply;
  });
  expect(findSharedMistakes(lenient).find(isKept)).toMatchObject({ isMade: false });
});
