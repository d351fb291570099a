// which uncaught mistakes would a drawn legal question show?
import { readFileSync, writeFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { mistakesAt } = await import(`${D}reference/mistakes/index.js`);
const { drawnQuestions } = await import(`${D}harness/fuzz/drawn-questions.js`);
const questions = JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/questions.json`));
const caught = new Map(JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/caught.json`)));
const operations = [...new Set(questions.map((q) => q.raw.operation))];
const contents = new ContentFolder();
const left = new Set([...caught].filter(([, v]) => v.length === 0).map(([k]) => k));
const start = left.size;
const chosen = [];
for (const operation of operations) {
  const drawn = await drawnQuestions([operation], { dialect: SVC, operations }, contents);
  const p = predictorOf(SVC, contents);
  let n = 0;
  for (const question of drawn) {
    if (!p.isQuick(question)) continue;
    const steps = p.stepsOf(question, []);
    const cand = [...new Set(steps.flatMap(mistakesAt))].filter((m) => left.has(m.id));
    const right = p.answer(question, []);
    if (right === undefined) continue;
    const shows = p
      .effectsOf(question, [], cand)
      .filter((e) => e.answer !== right)
      .flatMap((e) => e.mistakes.map((m) => m.id));
    if (shows.length) {
      chosen.push({ question, shows });
      for (const id of shows) left.delete(id);
      n += shows.length;
    }
  }
  console.log(operation, 'drawn', drawn.length, 'newly shown', n);
}
console.log('left', left.size, 'of', start);
writeFileSync(
  `${process.env.LOO_DATA ?? '.'}/observable.json`,
  JSON.stringify({ chosen, left: [...left] }),
);
