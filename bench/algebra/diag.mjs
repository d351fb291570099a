// node diag.mjs COMMAND...: asks an adapter all questions of the suite, diagnoses, and shows what the search did (T=1) and what stays open

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { diagnosis } = await import(`${D}harness/diagnosis/diagnose.js`);
const { shownReply } = await import(`${D}harness/diagnosis/shown-reply.js`).catch(
  () => import(`${D}harness/diagnosis/observation.js`),
);
const { SVC } = await import(`${D}reference/signing/index.js`);
const questions = JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/questions.json`)).filter(
  (q) => new RegExp(process.env.OP ?? '').test(q.raw.operation),
);
const contents = new ContentFolder();
const p = predictorOf(SVC, contents);
const lines = [
  JSON.stringify({
    protocol: 1,
    dialect: { scheme: 'Svc', headerPrefix: 'X-Svc-', publicKeyParameter: 'SvcPublicKey' },
  }),
  ...questions.map((q, n) =>
    JSON.stringify({
      n,
      operation: q.raw.operation,
      keys: q.raw.keys,
      input: contents.expanded(q.raw.input),
    }),
  ),
];
const [cmd, ...args] = process.argv.slice(2);
const r = spawnSync(cmd, args, { input: `${lines.join('\n')}\n`, maxBuffer: 1 << 30 });
const replies = new Map(
  String(r.stdout)
    .trim()
    .split('\n')
    .slice(1)
    .map((l) => JSON.parse(l))
    .map((o) => [o.n, o]),
);
const observed = questions.flatMap((q, n) => {
  const o = replies.get(n);
  if (!o || o.unsupported || o.error || q.ref == null || !p.isQuick(q.raw)) return [];
  const actual = o.refused
    ? 'refused'
    : shownReply(q.raw.operation, { kind: 'result', result: o.result, trace: {} });
  return [
    { id: q.id, ...(q.isControl && { isControl: true }), question: q.raw, right: q.ref, actual },
  ];
});
const failing = observed.filter((o) => o.right !== o.actual);
const c = process.cpuUsage();
const f = diagnosis(observed, p);
const { user, system } = process.cpuUsage(c);
console.log(
  `${failing.length} of ${observed.length} wrong; ${((user + system) / 1000).toFixed(0)} ms ${p.evaluations} evaluations`,
);
for (const x of f.causes)
  console.log(
    ' ',
    x.mistake.id + (x.within ? `@${x.within}` : ''),
    `[${x.confidence}${x.differing ? ` ${x.differing}` : ''}] explains ${x.explains.length}:`,
    x.mistake.wrong,
    x.others.length ? `(or ${x.others.map((o) => o.id)})` : '',
  );
const _open = new Set(f.unexplained);
console.log('  unexplained', f.unexplained.length);
const { setFor } = await import(`${D}harness/diagnosis/search.js`);
const made = f.causes.map((x) => ({
  mistake: x.mistake,
  ...(x.within && { within: new Set(x.within) }),
}));
const _cond = await import(`${D}harness/diagnosis/conditions.js`).catch(() => ({}));
const pred = (o) =>
  p.answer(
    o.question,
    made.filter((m) => !m.within || m.within.has(o.question.operation)).map((m) => m.mistake),
  );
const off = observed
  .filter((o) => pred(o) !== o.actual)
  .sort(
    (a, b) => JSON.stringify(a.question.input).length - JSON.stringify(b.question.input).length,
  );
for (const o of off.slice(0, Number(process.env.N ?? 6)))
  console.log(
    `   ${o.id} ${JSON.stringify(o.question.input).slice(0, 250)}\n      right  ${o.right}\n      actual ${o.actual}\n      made   ${pred(o)}`,
  );
