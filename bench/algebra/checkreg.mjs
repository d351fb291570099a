// does each register mistake give the answers of the old one?
import { readFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const DATA = process.env.LOO_DATA ?? '.';
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { MISTAKES } = await import(`${D}reference/mistakes/index.js`);
const questions = JSON.parse(readFileSync(`${DATA}/questions.json`));
const targets = JSON.parse(readFileSync(`${DATA}/targets.json`));
const p = predictorOf(SVC, new ContentFolder());
let same = 0;
for (const m of MISTAKES) {
  const t = targets[m.id];
  const diff = [];
  questions.forEach((q, i) => {
    if (!p.isQuick(q.raw)) return;
    const want = i in t.changed ? t.changed[i] : q.ref;
    const got = p.answerTo(q.raw, [m]) ?? null;
    if (got !== want) diff.push(q.id);
  });
  if (diff.length === 0) same++;
  else console.log(m.id, diff.length, diff.slice(0, 2).join(' '));
}
console.log(same, '/', MISTAKES.length);
