// node fit.mjs "ID ID" COMMAND...: where a set of mistakes and an adapter differ

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { shownReply } = await import(`${D}harness/diagnosis/shown-reply.js`).catch(
  () => import(`${D}harness/diagnosis/observation.js`),
);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { generatedMistakes, MISTAKES } = await import(`${D}reference/mistakes/index.js`);
const all = new Map([...generatedMistakes(), ...MISTAKES].map((m) => [m.id, m]));
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
const [ids, cmd, ...args] = process.argv.slice(2);
const set = ids
  .split(' ')
  .filter(Boolean)
  .map(
    (i) =>
      all.get(i) ??
      (() => {
        throw new Error(i);
      })(),
  );
const r = spawnSync(cmd, args, { input: `${lines.join('\n')}\n`, maxBuffer: 1 << 30 });
const replies = new Map(
  String(r.stdout)
    .trim()
    .split('\n')
    .slice(1)
    .map((l) => JSON.parse(l))
    .map((o) => [o.n, o]),
);
let bad = 0,
  n = 0;
questions.forEach((q, i) => {
  const o = replies.get(i);
  if (!o || o.unsupported || o.error || q.ref == null || !p.isQuick(q.raw)) return;
  const actual = o.refused
    ? 'refused'
    : shownReply(q.raw.operation, { kind: 'result', result: o.result, trace: {} });
  const made = p.answerTo(q.raw, set);
  n++;
  if (made !== actual && bad++ < Number(process.env.N ?? 10))
    console.log(
      `${q.id} ${JSON.stringify(q.raw.input).slice(0, 260)}\n   right  ${q.ref}\n   actual ${actual}\n   made   ${made}`,
    );
});
console.log(bad, 'of', n, 'differ');
