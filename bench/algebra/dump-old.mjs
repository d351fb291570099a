// node dump-old.mjs DIST: what the register of 5e521d4 (its built dist folder) answers to every question of the suite,
// as questions.json and targets.json in LOO_DATA. loo.mjs then asks which single generated mistake gives the same answers.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const D = pathToFileURL(`${process.argv[2]}/`).href;
const DATA = process.env.LOO_DATA ?? '.';
const { bundledSuite } = await import(`${D}harness/suite/bundle.js`);
const { ContentFolder, contentSize } = await import(`${D}harness/suite/content.js`);
const { Predictor } = await import(`${D}harness/diagnosis/hypothesis.js`);
const { MISTAKES } = await import(`${D}reference/mistakes/index.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { shownStages, REFUSED } = await import(`${D}harness/diagnosis/observation.js`);
const { controlOf } = await import(`${D}harness/run.js`);
const predictor = new Predictor(SVC, new ContentFolder());
const questions = [];
for (const v of bundledSuite().vectors) {
  const { id, operation, keys, input, expect, refuse, level } = v;
  if (expect || refuse)
    questions.push({
      id,
      level,
      raw: { operation, keys, input },
      right: expect ? shownStages(operation, expect) : REFUSED,
    });
  if (v.control) {
    const q = controlOf(v);
    questions.push({
      id,
      level,
      isControl: true,
      raw: q,
      right: shownStages(q.operation, v.control.expect),
    });
  }
}
const targets = {};
for (const m of MISTAKES) {
  const changed = {};
  questions.forEach((q, i) => {
    if (contentSize(q.raw.input) > 9 * 1024 * 1024) return;
    const answer = predictor.answer(q.raw, [m]);
    if (answer !== predictor.answer(q.raw, [])) changed[i] = answer ?? null;
  });
  targets[m.id] = { rule: m.rule, cause: m.cause, fix: m.fix, seen: m.seen, once: m.once, changed };
}
for (const q of questions) {
  q.ref = predictor.answer(q.raw, []) ?? null;
  q.size = contentSize(q.raw.input);
}
writeFileSync(`${DATA}/questions.json`, JSON.stringify(questions));
writeFileSync(`${DATA}/targets.json`, JSON.stringify(targets));
