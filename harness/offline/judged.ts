/**
 * Written answers as a run: judged as if the adapter had given them.
 *
 * @module
 */
import { excerpt, type Reply } from '../adapter/messages.ts';
import { checkJudge, outcomesOf, type Run } from '../run.ts';
import type { Suite, Vector } from '../suite/vector.ts';
import { type Answer, type Answers, refuseProblems } from './answers.ts';

const UNANSWERED: Reply = { kind: 'not-asked', message: 'the file has no answer to it' };

/** Judges the answers; a `DataError` names those that answer nothing that was asked. */
export function judgedAnswers(
  { header, answers }: Answers,
  vectors: readonly Vector[],
  suite: Suite,
): Run {
  refuseProblems(strayAnswers(answers, vectors, suite));
  const given = new Map(answers.map((answer) => [nameOf(answer), answer.reply]));
  const said = (id: string, isControl: boolean): Reply =>
    given.get(nameOf({ id, isControl })) ?? UNANSWERED;
  const outcomes = outcomesOf(vectors, ({ id, control }) => ({
    reply: said(id, false),
    ...(control && { controlReply: said(id, true) }),
  }));
  for (const { vector, reply } of outcomes) {
    if (suite.knownGood.includes(vector.id)) checkJudge(vector, reply);
  }
  const count = vectors.length + vectors.filter(({ control }) => control).length;
  const missing = count - given.size;
  const { implementation } = header ?? {};
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  return {
    ...(implementation && { hello: { implementation, operations } }),
    outcomes,
    banner: 0,
    ...(missing > 0 && { over: `${missing} of ${count} questions have no answer` }),
  };
}

function nameOf({ id, isControl }: Pick<Answer, 'id' | 'isControl'>): string {
  return isControl ? `${id} control` : id;
}

/** Answers to what nobody asked, and second answers, each as a sentence. */
function strayAnswers(
  answers: readonly Answer[],
  vectors: readonly Vector[],
  suite: Suite,
): readonly string[] {
  const asked = new Map(vectors.map((vector) => [vector.id, vector]));
  const ids = new Set(suite.vectors.map(({ id }) => id));
  const places = new Map<string, string>();
  return answers.flatMap((answer) => {
    const { id, isControl, place } = answer;
    const vector = asked.get(id);
    const earlier = places.get(nameOf(answer));
    places.set(nameOf(answer), earlier ?? place);
    if (!vector) return `${place}: ${strayId(id, ids)}`;
    if (isControl && !vector.control) return `${place}: ${id} has no control; leave it out`;
    if (earlier === undefined) return [];
    const what = isControl ? `the control of ${id}` : id;
    return `${place}: ${what} is answered a second time, after ${earlier}; answer it once`;
  });
}

function strayId(id: string, ids: ReadonlySet<string>): string {
  return ids.has(id)
    ? `${id} was not among the questions; leave it out`
    : `no vector is named ${excerpt(id)}; answer under the id of the question`;
}
