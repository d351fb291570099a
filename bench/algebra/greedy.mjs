import { readFileSync } from 'node:fs';

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
const un = new Set([...caught].filter(([, v]) => v.length === 0).map(([k]) => k));
for (const operation of operations) {
  const p = predictorOf(SVC, contents);
  const rows = [];
  for (const question of drawnQuestions([operation], { dialect: SVC, operations }, contents)) {
    if (!p.isQuick(question)) continue;
    const right = p.answer(question, []);
    if (right === undefined) continue;
    const cand = [...new Set(p.stepsOf(question, []).flatMap(mistakesAt))].filter((m) =>
      un.has(m.id),
    );
    rows.push([
      question,
      new Set(
        p
          .effectsOf(question, [], cand)
          .filter((e) => e.answer !== right)
          .flatMap((e) => e.mistakes.map((m) => m.id)),
      ),
    ]);
  }
  for (let i = 0; i < 12; i++) {
    rows.sort(
      (a, b) => b[1].size - a[1].size || JSON.stringify(a[0]).length - JSON.stringify(b[0]).length,
    );
    const [question, shows] = rows[0] ?? [];
    if (!shows?.size) break;
    const groups = {};
    for (const id of shows) (groups[id.split('/')[0]] ??= []).push(id.split('/')[1] ?? '');
    console.log(`\n${operation} +${shows.size} ${JSON.stringify(question.input).slice(0, 700)}`);
    for (const [k, v] of Object.entries(groups))
      console.log('   ', k, v.slice(0, 8).join(' '), v.length > 8 ? `(${v.length})` : '');
    const take = [...shows];
    for (const id of take) un.delete(id);
    for (const r of rows) for (const id of take) r[1].delete(id);
  }
}
