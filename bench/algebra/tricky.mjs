// hand-made mistakes that no list has: conditions and odd encoders
import { readFileSync } from 'node:fs';

const D = new URL('../../dist/', import.meta.url).href;
const { ContentFolder } = await import(`${D}harness/suite/content.js`);
const { predictorOf } = await import(`${D}harness/diagnosis/suite-predictor.js`);
const { diagnosis } = await import(`${D}harness/diagnosis/diagnose.js`);
const { SVC } = await import(`${D}reference/signing/index.js`);
const questions = JSON.parse(readFileSync(`${process.env.LOO_DATA ?? '.'}/questions.json`));
const enc =
  (kept, space = '%20') =>
  (t) =>
    [...new TextEncoder().encode(t.toWellFormed())]
      .map((b) => {
        const c = String.fromCharCode(b);
        return /[A-Za-z0-9]/.test(c) || kept.includes(c)
          ? c
          : b === 32
            ? space
            : `%${b.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
const once = (step, w, when = () => true) => ({ change: { [step]: w }, when });
const verb =
  (...v) =>
  (q) =>
    v.includes(String(q.input.method ?? '').toUpperCase());
const has = (n) => (q) =>
  (q.input.headers ?? []).some(([m, v]) => m.toLowerCase().trim() === n && v);
const T = {
  'query keeps ;!': [
    once('queryName', () => enc('-_.~;!')),
    once('queryValue', () => enc('-_.~;!')),
  ],
  'query value keeps *,: +': [once('queryValue', () => enc('-_.~*,:', '+'))],
  'urlEncode keeps !@ escapes ~': [once('urlEncode', () => enc('-_.!@'))],
  'path keeps ( ) ;': [once('pathSegment', () => enc('-_.~();'))],
  'signature keeps /=': [once('encodedSignature', () => enc('-_.~/='))],
  'signed value keeps odd': [once('signedValue', () => enc('-_.~!;@,'))],
  'default type on put post': [
    once(
      'contentType',
      (r) =>
        (...a) =>
          r(...a) || 'application/octet-stream',
      verb('PUT', 'POST'),
    ),
  ],
  'default type json unless GET': [
    once(
      'contentType',
      (r) =>
        (...a) =>
          r(...a) || 'application/json',
      (q) => !verb('GET', 'HEAD')(q),
    ),
  ],
  'no md5 line on GET': [once('contentMd5', (_r) => () => '', verb('GET', 'HEAD'))],
  'no date where md5': [once('date', (_r) => () => '', has('content-md5'))],
  'key lower-cased on DELETE': [
    once(
      'resourceKey',
      (r) =>
        (...a) =>
          r(...a).toLowerCase(),
      verb('DELETE'),
    ),
  ],
  'reverse headers beside type': [
    once(
      'sortedHeaders',
      (r) =>
        (...a) =>
          [...r(...a)].reverse(),
      has('content-type'),
    ),
  ],
  'two: type default on PUT + query odd': [
    once(
      'contentType',
      (r) =>
        (...a) =>
          r(...a) || 'application/octet-stream',
      verb('PUT'),
    ),
    once('queryValue', () => enc('-_.~;!')),
  ],
};
const contents = new ContentFolder();
const base = predictorOf(SVC, contents);
const _n = 0;
for (const [name, list] of Object.entries(T)) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  const p = predictorOf(SVC, contents);
  const observed = questions
    .filter((q) => p.isQuick(q.raw))
    .map((q) => {
      const set = list
        .filter((m) => m.when(q.raw))
        .map((m, i) => ({ id: `t${i}`, order: 1, cost: 1, ...m }));
      return {
        id: q.id,
        ...(q.isControl && { isControl: true }),
        question: q.raw,
        right: q.ref ?? undefined,
        actual: base.answerTo(q.raw, set),
      };
    })
    .filter((o) => o.actual !== undefined && o.right !== undefined);
  const failing = observed.filter((o) => o.right !== o.actual).length;
  const c = process.cpuUsage();
  const f = diagnosis(observed, p);
  const { user, system } = process.cpuUsage(c);
  const ok = f.unexplained.length === 0 && f.causes.every((x) => x.confidence !== 'nearest');
  console.log(
    ok ? 'ok  ' : 'MISS',
    name,
    `${((user + system) / 1000).toFixed(0)} ms ${p.evaluations}`,
    '=>',
    f.causes
      .map(
        (x) =>
          `${x.mistake.id}${x.within ? `@${x.within}` : ''} [${x.confidence} ${x.others.map((o) => o.id)}] "${x.mistake.wrong}"`,
      )
      .join(' & '),
    `unexplained ${f.unexplained.length}/${failing}`,
  );
}
