// node set.mjs QUESTION-ID ID...: what the reference answers with a set of mistakes
import { readFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { generatedMistakes, MISTAKES } = await import(`${D}reference/mistakes/index.js`);
const [id, ...ids] = process.argv.slice(2);
const q = JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/questions.json`)).find((x) =>
  x.id.includes(id),
);
const all = new Map([...generatedMistakes(), ...MISTAKES].map((m) => [m.id, m]));
const p = predictorOf(SVC, new ContentFolder());
console.log(q.id, JSON.stringify(q.raw.input).slice(0, 300));
console.log('right', q.ref);
console.log(
  'made ',
  p.answerTo(
    q.raw,
    ids.map(
      (i) =>
        all.get(i) ??
        (() => {
          throw new Error(i);
        })(),
    ),
  ),
);
