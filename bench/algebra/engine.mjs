// node engine.mjs SEED COUNT K [filter]: random sets of K generated mistakes, in process
import { readFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const DATA = process.env.LOO_DATA ?? '.';
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { diagnosis } = await import(`${D}harness/diagnosis/diagnose.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const { generatedMistakes, MISTAKES } = await import(`${D}reference/mistakes/index.js`);
const [seed, count, k, filter = ''] = process.argv.slice(2);
let state = (Number(seed) * 2654435761) >>> 0;
const random = (n) => {
  state ^= state << 13;
  state >>>= 0;
  state ^= state >>> 17;
  state ^= state << 5;
  state >>>= 0;
  return state % n;
};
for (let i = 0; i < 20; i++) random(10);
const all = [...generatedMistakes(), ...MISTAKES].filter((m) => m.cost <= 2);
const questions = JSON.parse(readFileSync(`${DATA}/questions.json`)).filter((q) =>
  new RegExp(filter).test(q.raw.operation),
);
const contents = new ContentFolder();
const base = predictorOf(SVC, contents);
const byPlace = Map.groupBy
  ? Map.groupBy(all, (m) => m.id.split('/')[0])
  : all.reduce((places, mistake) => {
      const [place] = mistake.id.split('/');
      return places.set(place, [...(places.get(place) ?? []), mistake]);
    }, new Map());
const places = [...byPlace.keys()];
let ok = 0;
let tried = 0;
const times = [];
const verbose = process.env.V;
const FIXED = process.env.SET
  ? process.env.SET.split(' ').map((id) => all.find((m) => m.id === id))
  : undefined;
while (tried < Number(count)) {
  const set = FIXED ? [...FIXED] : [];
  while (set.length < Number(k)) {
    const list = byPlace.get(places[random(places.length)]);
    const m = list[random(list.length)];
    set.push(m);
  }
  const p = predictorOf(SVC, contents);
  // each has to show
  const observed = questions
    .filter((q) => p.isQuick(q.raw))
    .map((q) => ({
      id: q.id,
      ...(q.isControl && { isControl: true }),
      question: q.raw,
      right: q.ref ?? undefined,
      actual: base.answerTo(q.raw, set),
    }))
    .filter((o) => o.actual !== undefined && o.right !== undefined);
  const shows = set.every((m) =>
    observed.some(
      (o) =>
        base.answerTo(
          o.question,
          set.filter((x) => x !== m),
        ) !== o.actual,
    ),
  );
  if (!shows && !FIXED) continue;
  tried++;
  const start = process.cpuUsage();
  const found = diagnosis(observed, p);
  const { user, system } = process.cpuUsage(start);
  const ms = (user + system) / 1000;
  times.push(ms);
  const failing = new Set(observed.filter((o) => o.right !== o.actual).map((o) => o.id)).size;
  const complete =
    found.unexplained.length === 0 && found.causes.every((c) => c.confidence !== 'nearest');
  if (complete) ok++;
  if (verbose || !complete)
    console.log(
      complete ? 'ok  ' : 'MISS',
      `${ms.toFixed(0)} ms`,
      p.evaluations,
      set.map((m) => m.id).join(' & '),
      '=>',
      found.causes
        .map(
          (c) =>
            c.mistake.id +
            (c.within ? `@${c.within.join(',')}` : '') +
            (c.confidence === 'exact' ? '' : ` [${c.confidence} ${c.others.length}]`),
        )
        .join(' & '),
      `unexplained ${found.unexplained.length}/${failing}`,
    );
}
times.sort((a, b) => a - b);
console.log(
  `${ok}/${tried} complete; CPU ms median ${times[times.length >> 1]?.toFixed(0)} p90 ${times[Math.floor(times.length * 0.9)]?.toFixed(0)} max ${times.at(-1)?.toFixed(0)}`,
);
