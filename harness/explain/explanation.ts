/**
 * What there is to say of one captured request, in lines.
 *
 * @module
 */
import {
  type Context,
  type Dialect,
  InputError,
  inDialect,
  type KeyPair,
} from '../../reference/signing/index.ts';
import { dialectName } from '../dialects.ts';
import { visible } from '../report/excerpt.ts';
import type { Rule } from '../suite/vector.ts';
import { causes, type Explanation, type Fault, type Search } from './cause.ts';
import { ruleOfRefusal } from './refusal-rules.ts';
import { shownText, signedLines } from './signed-lines.ts';
import {
  type FileSubject,
  type Signed,
  type StructuralFault,
  type Subject,
  signed,
  structuralFault,
} from './subject.ts';

export interface Circumstances {
  readonly keys: KeyPair;
  /** The clock in Unix seconds. */
  readonly now: number;
  readonly rules: readonly Rule[];
}

export interface Line {
  readonly kind: 'heading' | 'right' | 'wrong' | 'row' | 'prose';
  readonly text: string;
}

export interface Explained {
  readonly isRight: boolean;
  readonly lines: readonly Line[];
}

const KINDS = {
  header: 'file request with an Authorization header (§5.2)',
  url: 'pre-signed URL (§5.4)',
  form: 'form upload (§4.3, §5.2)',
  query: 'action or bucket management request with a query (§5.1)',
  json: 'action with a JSON body (§5.1)',
} as const;

/** More explanations than this are counted, not shown. */
const SHOWN = 4;

const row = (text: string): Line => ({ kind: 'row', text: `  ${text}` });
const prose = (text: string): Line => ({ kind: 'prose', text });
const heading = (text: string): Line => ({ kind: 'heading', text });

function kindOf(subject: Subject): string {
  return KINDS[subject.kind === 'parameters' ? subject.form : subject.kind];
}

/** Explains a request: what is signed, what should be there, what is there, and why. */
export function explained(recognized: Subject, circumstances: Circumstances): Explained {
  const context = inDialect(recognized.dialect);
  const { publicKey = circumstances.keys.publicKey } = recognized.sent;
  // Which account it is, is looked at on its own; all else is judged with the private key that is given.
  const keys = { publicKey, privateKey: circumstances.keys.privateKey };
  try {
    const subject = withVerb(recognized, keys, context);
    const right = signed(subject, keys, context);
    return judged(subject, right, keys, context, circumstances);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const lines = [
      heading(title(recognized)),
      prose(''),
      wrong(`no signature is right: ${error.message}`),
    ];
    return { isRight: false, lines };
  }
}

/** A URL alone does not say its verb: the one that it is signed for, or GET. */
function withVerb(subject: Subject, keys: KeyPair, context: Context): Subject {
  if (subject.kind !== 'url' || !subject.verbUnknown) return subject;
  const candidates = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((method) => ({
    ...subject,
    request: { ...subject.request, method },
  }));
  return candidates.find((one) => matches(one, signed(one, keys, context))) ?? subject;
}

function matches({ sent }: Subject, { written }: Signed): boolean {
  return sent.written === written;
}

function judged(
  subject: Subject,
  right: Signed,
  keys: KeyPair,
  context: Context,
  { keys: own, now, rules }: Circumstances,
): Explained {
  const fault = structuralFault(subject, keys, context);
  const isMatch = matches(subject, right);
  const wrongs = subject.otherDialect
    ? [dialectFault(subject, subject.otherDialect)]
    : [
        ...(isMatch
          ? faultLines(subject, fault, REFUSED, rules)
          : mismatch(subject, keys, context, fault, rules)),
        ...accountFault(subject, own, isMatch, rules),
        ...(isMatch && !fault ? expiryFault(subject, now, context, rules) : []),
      ];
  const verdict: readonly Line[] =
    wrongs.length === 0 ? [{ kind: 'right', text: `rightly signed: ${kindOf(subject)}` }] : wrongs;
  return {
    isRight: wrongs.length === 0,
    lines: [
      heading(title(subject)),
      prose(''),
      heading('string to sign'),
      ...textLines(subject, context),
      prose(''),
      heading('signature'),
      ...signatureLines(subject, right, context),
      prose(''),
      ...verdict,
      ...subject.notes.map((note) => prose(`note: ${note}`)),
    ],
  };
}

function wrong(text: string): Line {
  return { kind: 'wrong', text: `wrongly signed: ${text}` };
}

/** What a fault beside a correct signature is introduced by. */
const REFUSED = 'refused: the signature is right, but ';

/** A fault that is not about the signature, with its rule. */
function faultLines(
  subject: Subject,
  fault: StructuralFault | undefined,
  introduction: string,
  rules: readonly Rule[],
): readonly Line[] {
  if (!fault) return [];
  const rule = ruleOfRefusal(fault.reason, fault.message, subject.kind === 'url');
  return [
    { kind: 'wrong', text: `${introduction}${fault.message}` },
    ...(rule === undefined ? [] : ruleLine(rule, rules)),
  ];
}

function dialectFault({ kind, dialect }: Subject, other: Dialect): Line {
  const word = kind === 'url' ? 'publicKeyParameter' : 'scheme';
  const text = `another dialect: the request says ${other[word]}, and --dialect names the dialect of ${dialect[word]}; give --dialect ${dialectName(other)}, or leave --dialect out`;
  return { kind: 'wrong', text };
}

function title(subject: Subject): string {
  if (subject.kind === 'parameters') return kindOf(subject);
  const { bucket, key } = subject.request;
  return `${kindOf(subject)}, scheme ${subject.dialect.scheme}: ${titleVerb(subject)}, bucket ${visible(bucket)}, key ${visible(key)}`;
}

function titleVerb(subject: FileSubject): string {
  if (subject.kind === 'form') return 'POST';
  return subject.kind === 'url' && subject.verbUnknown
    ? `a URL, taken for ${subject.request.method}`
    : subject.request.method;
}

function textLines(subject: Subject, context: Context): readonly Line[] {
  const lines = signedLines(subject, context);
  const isParameters = subject.kind === 'parameters';
  const label = isParameters ? 'part' : 'line';
  // A policy goes on with the line of the resource.
  const numbers = lines.map(({ name }, i) => (name === 'policy' ? '' : `${label} ${i + 1}`));
  const shown = lines.map(({ name, text, origin }, i) => [
    numbers[i] ?? '',
    isParameters ? visible(name).slice(1, -1) : name,
    visible(text.replace(/\n$/, '')),
    origin,
  ]);
  const widths = [0, 1, 2].map((column) =>
    shown.reduce((most, cells) => Math.min(60, Math.max(most, cells[column]?.length ?? 0)), 0),
  );
  return [
    ...shown.map((cells) => row(cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))),
    row(`whole  ${visible(shownText(subject, context))}`),
  ];
}

function signatureLines(subject: Subject, right: Signed, context: Context): readonly Line[] {
  const { kind, sent } = subject;
  const isWhole = sent.publicKey === undefined && (kind === 'header' || kind === 'form');
  const encoded = kind === 'url' ? context.steps.urlEncode(right.signature) : right.signature;
  return [
    row(`expected  ${isWhole ? right.written : right.signature}`),
    ...(encoded === right.signature ? [] : [row(`          ${encoded} in the URL`)]),
    row(`sent      ${sent.signature === '' ? 'nothing' : plain(sent.signature)}`),
  ];
}

/** As it is where every character can be seen. */
function plain(text: string): string {
  return /^[!-~]+(?: [!-~]+)*$/.test(text) ? text : visible(text);
}

function ruleLine(id: string, rules: readonly Rule[]): readonly Line[] {
  const rule = rules.find((one) => one.id === id);
  return rule ? [prose(`  rule ${id} (${rule.level}): ${rule.text}`)] : [];
}

function accountFault(
  { sent }: Subject,
  { publicKey, privateKey }: KeyPair,
  isMatch: boolean,
  rules: readonly Rule[],
): readonly Line[] {
  if (sent.publicKey === undefined || sent.publicKey === publicKey) return [];
  // The public key of the pair is not shown: where the two are exchanged, it is the private key.
  const text =
    sent.publicKey === privateKey
      ? 'the public key that the request names is the private key of the key pair given: one of the two has public and private key exchanged'
      : `the request names the public key ${visible(sent.publicKey)}, and the key pair given is that of another`;
  return [
    isMatch
      ? {
          kind: 'wrong',
          text: `refused: ${text}; the signature is that of the private key given; name the account that signs`,
        }
      : prose(
          sent.publicKey === privateKey
            ? `${text}; exchange them where they are wrong`
            : `${text}; if another account signed it, give that one's pair`,
        ),
    ...ruleLine('5/key-of-account', rules),
  ];
}

function expiryFault(
  subject: Subject,
  now: number,
  { steps }: Context,
  rules: readonly Rule[],
): readonly Line[] {
  if (subject.kind !== 'url') return [];
  const { expires } = subject.request;
  if (!steps.isExpired(Number(expires), now)) return [];
  const text = `expired: the signature is right, but the URL was valid until ${expires} and it is ${now}, ${now - Number(expires)} seconds later; sign a new one`;
  return [{ kind: 'wrong', text }, ...ruleLine('5.4/expiry', rules)];
}

/** Refusals for an Authorization value or a signature that is not there, which a cause says better. */
const OF_SIGNATURES = ['authorization-malformed', 'signature-missing', 'form-malformed'];

/** Why the signature is another one, as far as it can be known, and what else is wrong. */
function mismatch(
  subject: Subject,
  keys: KeyPair,
  context: Context,
  fault: StructuralFault | undefined,
  rules: readonly Rule[],
): readonly Line[] {
  const isUnsigned = subject.sent.signature === '';
  const search = isUnsigned ? undefined : causes(subject, keys, context);
  const [first, ...others] = search?.explanations ?? [];
  const isOfSignature = fault !== undefined && OF_SIGNATURES.includes(fault.reason);
  const beside = isOfSignature ? [] : faultLines(subject, fault, 'refused as well: ', rules);
  if (first) {
    return [...found([first, ...others], shownText(subject, context), rules), ...beside];
  }
  if (isOfSignature) return faultLines(subject, fault, 'wrongly signed: ', rules);
  return [
    wrong('no known mistake explains it'),
    ...(search ? unexplained(search, subject) : []),
    ...beside,
  ];
}

function found(
  explanations: readonly [Explanation, ...Explanation[]],
  rightText: string,
  rules: readonly Rule[],
): readonly Line[] {
  const [first, ...others] = explanations;
  if (others.length === 0) {
    const summary = first.faults.map(({ cause }) => cause).join('; and ');
    return [wrong(summary), ...details(first, rightText, rules)];
  }
  const left = explanations.length - SHOWN;
  return [
    wrong(`one of ${explanations.length} causes, which this request does not tell apart`),
    ...explanations
      .slice(0, SHOWN)
      .flatMap((one, i) => [
        prose(`${i + 1}. ${one.faults.map(({ cause }) => cause).join('; and ')}`),
        ...details(one, rightText, rules),
      ]),
    ...(left > 0 ? [prose(`… and ${left} more`)] : []),
  ];
}

function details(
  { faults, text }: Explanation,
  rightText: string,
  rules: readonly Rule[],
): readonly Line[] {
  return [
    ...faults.flatMap((fault: Fault) => [
      ...(fault.id === undefined ? [] : [prose(`  mistake ${fault.id}`)]),
      prose(`  fix ${fault.fix}`),
      ...ruleLine(fault.rule, rules),
    ]),
    ...(text === '' || text === rightText ? [] : [row(`signed instead  ${visible(text)}`)]),
  ];
}

function unexplained({ tried }: Search, { kind }: Subject): readonly Line[] {
  const other =
    kind === 'parameters'
      ? 'a parameter that changed after signing'
      : 'a header, a verb or a key that changed after signing';
  return [
    prose(
      `  tried: the ${tried} known mistakes that touch this signature and not all of their pairs, which are too many; left is another private key, ${other}, or a mistake that nobody has met; compare the text above with the one that your code signs`,
    ),
  ];
}
