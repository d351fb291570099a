import { readFileSync, writeFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { generatedMistakes, MISTAKES } = await import(`${D}reference/mistakes/index.js`);
const questions = JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/questions.json`));
const p = predictorOf(SVC, new ContentFolder());
const caught = new Map([...generatedMistakes(), ...MISTAKES].map((m) => [m.id, []]));
const c = process.cpuUsage();
const _base = new Map();
for (const q of questions) {
  if (!p.isQuick(q.raw)) continue;
  for (const { mistakes } of p.effects(q.raw, []))
    for (const m of mistakes) caught.get(m.id).push(q.id);
}
const { user, system } = process.cpuUsage(c);
console.log('cpu s', (user + system) / 1e6, 'evaluations', p.evaluations);
const none = [...caught].filter(([, v]) => v.length === 0).map(([k]) => k);
const one = [...caught].filter(([, v]) => new Set(v).size === 1);
console.log('all', caught.size, 'uncaught', none.length, 'by one vector', one.length);
writeFileSync(`${process.env.LOO_DATA ?? '.'}/caught.json`, JSON.stringify([...caught]));
const by = {};
for (const id of none) {
  const k = id.split('/')[0];
  (by[k] ??= []).push(id.split('/')[1]);
}
for (const [k, v] of Object.entries(by).sort((a, b) => b[1].length - a[1].length))
  console.log(v.length, k, v.slice(0, 12).join(' '));
