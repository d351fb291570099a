import { readFileSync } from 'node:fs';

const O = process.env.OLD_DIST,
  N = new URL('../../dist/', import.meta.url).href;
const oldIndex = await import(`${O}reference/mistakes/index.js`);
const { mistaken: oldMistaken } = await import(`${O}reference/mistakes/mistake.js`);
const { inDialect: oldIn, SVC: oldSvc } = await import(`${O}reference/signing/index.js`);
const { replyIn: oldReply } = await import(`${O}harness/diagnosis/mistaken-reply.js`);
const { MISTAKES, mistakesAt } = await import(`${N}reference/mistakes/index.js`);
const { SVC } = await import(`${N}reference/signing/index.js`);
const { shownReply } = await import(`${N}harness/diagnosis/shown-reply.js`);
const { predictorOf } = await import(`${N}harness/diagnosis/suite-predictor.js`);
const { drawnQuestions } = await import(`${N}harness/fuzz/drawn-questions.js`);
const { ContentFolder } = await import(`${N}harness/suite/content.js`);
const { OPERATIONS } = await import(`${N}harness/suite/operations.js`);
const ids = process.argv.slice(2);
const contents = new ContentFolder();
const p = predictorOf(SVC, contents);
const ops = Object.keys(OPERATIONS).filter(
  (o) => !/etag/.test(o) && (process.env.VERIFY ? /^verify/.test(o) : !/^verify/.test(o)),
);
const drawn = await drawnQuestions(
  ops,
  { dialect: SVC, operations: Object.keys(OPERATIONS) },
  contents,
);
const suite = JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/questions.json`))
  .map((q) => q.raw)
  .filter((q) => ops.includes(q.operation));
const qs = [...suite, ...drawn];
const show = (q, r) => shownReply(q.operation, r) ?? 'broke';
Error.stackTraceLimit = 0;
for (const id of ids) {
  const old = oldIndex.MISTAKES.find((m) => m.id === id);
  const now = MISTAKES.find((m) => m.id === id);
  const oc = oldMistaken(oldIn(oldSvc), [old]);
  const asked = qs.map((q) => [q, show(q, oldReply(oc, q)), p.answer(q, []) ?? 'broke']);
  const touched = asked.filter(([, a, r]) => a !== r);
  const bad = new Map();
  let cand = [...new Set(touched.flatMap(([q]) => p.stepsOf(q, []).flatMap(mistakesAt)))];
  for (const [q, a] of [...touched, ...asked.filter((x) => !touched.includes(x))]) {
    for (const { answer, mistakes } of p.effectsOf(q, [], cand))
      if ((answer ?? 'broke') !== a) for (const m of mistakes) bad.set(m, (bad.get(m) ?? 0) + 1);
    cand = cand.filter((m) => (bad.get(m) ?? 0) <= Math.max(8, touched.length / 3));
  }
  const best = cand
    .map((m) => [bad.get(m) ?? 0, m.id])
    .sort((a, b) => a[0] - b[0])
    .slice(0, 4);
  console.log(
    id,
    `(now ${bad.get(now) ?? 0} wrong of ${touched.length})`,
    '->',
    best.map((b) => b.join(' ')).join(' | '),
  );
}
