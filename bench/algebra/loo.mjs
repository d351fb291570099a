// leave one out: does a single generated mistake give the answers of each mistake of the old register?
import { readFileSync, writeFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const DATA = process.env.LOO_DATA ?? '.';
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { generatedMistakes } = await import(`${D}reference/mistakes/index.js`);
const all = generatedMistakes();
console.log('generated', all.length, 'ids', new Set(all.map((m) => m.id)).size);
const questions = JSON.parse(readFileSync(`${DATA}/questions.json`));
const targets = JSON.parse(readFileSync(`${DATA}/targets.json`));
const contents = new ContentFolder();
const p = predictorOf(SVC, contents);
const bad = questions.filter((q) => p.isQuick(q.raw) && (p.answer(q.raw, []) ?? null) !== q.ref);
console.log(
  'reference differs from main on',
  bad.length,
  bad.slice(0, 5).map((q) => q.id),
);
const only = process.argv[2];
const result = {};
const isVerifier = (id) => id.startsWith('verify-');
const size = (i) => JSON.stringify(questions[i].raw.input).length + (questions[i].size ?? 0);
for (const [id, t] of Object.entries(targets)) {
  if (only && !id.includes(only)) continue;
  const idx = Object.keys(t.changed)
    .map(Number)
    .sort((a, b) => size(a) - size(b));
  const want = (i) => (i in t.changed ? t.changed[i] : questions[i].ref);
  const ops = new Set(idx.map((i) => questions[i].raw.operation));
  let c;
  for (const i of idx) {
    const q = questions[i].raw;
    const got =
      c === undefined
        ? p
            .effects(q, [])
            .filter((e) => (e.answer ?? null) === want(i))
            .flatMap((e) => e.mistakes.filter((m) => m.id.includes('/')))
        : p
            .effectsOf(q, [], c)
            .filter((e) => (e.answer ?? null) === want(i))
            .flatMap((e) => e.mistakes.filter((m) => m.id.includes('/')));
    if (got.length === 0 && c !== undefined) {
      result[id] = {
        fails: questions[i].id,
        near: c.slice(0, 4).map((m) => m.id),
        left: idx.length,
      };
      c = [];
      break;
    }
    c = got;
    if (c.length === 0) {
      result[id] = { fails: questions[i].id, want: want(i), right: questions[i].ref };
      break;
    }
  }
  if (c.length > 0) {
    for (let i = 0; i < questions.length && c.length > 0; i++) {
      if (i in t.changed || !p.isQuick(questions[i].raw)) continue;
      if (!process.env.STRICT && !ops.has(questions[i].raw.operation)) continue;
      const before = c;
      c = p
        .effectsOf(questions[i].raw, [], c)
        .filter((e) => (e.answer ?? null) === questions[i].ref)
        .flatMap((e) => e.mistakes.filter((m) => m.id.includes('/')));
      if (c.length === 0)
        result[id] = { also: questions[i].id, near: before.slice(0, 4).map((m) => m.id) };
    }
  }
  if (c.length > 0)
    result[id] = {
      ok: c
        .sort((a, b) => a.cost - b.cost)
        .slice(0, 3)
        .map((m) => m.id),
    };
}
writeFileSync(`${DATA}/result.json`, JSON.stringify(result, null, 1));
for (const kind of [false, true]) {
  const own = Object.entries(result).filter(([id]) => isVerifier(id) === kind);
  console.log(kind ? 'verifiers' : 'signing', own.filter(([, r]) => r.ok).length, '/', own.length);
}
for (const [id, r] of Object.entries(result))
  if (!r.ok) console.log(id, JSON.stringify(r).slice(0, 260));
console.log('evaluations', p.evaluations);
