/**
 * Explains one captured request. Loaded when `explain` runs, not for its help.
 *
 * @module
 */
import { parseDialect } from '../engine/dialects.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import { decodeCapture, parseCapture } from '../engine/explain/captured-request.ts';
import { explainSignature, type Line } from '../engine/explain/explanation.ts';
import { recognizeRequest } from '../engine/explain/recognition.ts';
import { createHider, type Hide } from '../engine/explain/secrecy.ts';
import { namesPublicKey } from '../engine/explain/signed-request.ts';
import { causePlaceText } from '../render/cause-place.ts';
import type { Style, Terminal } from '../render/terminal.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { readEnvironmentKeys, readKeyFile } from '../suite/key-pair.ts';
import { LARGEST } from '../suite/user-files.ts';
import type { Call } from './call.ts';
import { type Parsed, textOption } from './verb.ts';

export async function explainRequest(given: Parsed, call: Call): Promise<number> {
  if (given.positionals.length > 1 || given.command) {
    // The message does not quote the words, because one may be a key.
    throw new UsageError(
      'explain takes one FILE, or the request on standard input; keys come from --keys FILE or the environment, never from the command line',
    );
  }
  const file = textOption(given, 'keys');
  const keys = await (file === undefined ? readEnvironmentKeys(call.io.env) : readKeyFile(file));
  // Until the request shows which of the two is public, either may be the private key.
  let hide = createHider(keys.privateKey, keys.publicKey);
  try {
    const captured = parseCapture(
      decodeCapture(await readCaptured(given.positionals[0] ?? '-', call)),
      hide.text,
    );
    const signed = recognizeRequest(captured, parseHints(given));
    if (namesPublicKey(signed, keys.publicKey)) hide = createHider(keys.privateKey);
    const suite = bundledSuite();
    const now = parseClock(given);
    const { isRight, lines } = explainSignature(signed, { keys, now, rules: suite.rules });
    const withPages = lines.flatMap((line): readonly Line[] =>
      line.cause === undefined
        ? [line]
        : [line, { kind: 'prose', text: `  page ${causePlaceText(line.cause, suite)}` }],
    );
    call.print(explanationText(withPages, hide, call.terminal));
    return isRight ? EXIT.asExpected : EXIT.failures;
  } catch (error) {
    throw hide.error(error);
  }
}

/** The time of `--now`. It is parsed here, because Unix seconds exceed the range of numeric options. */
function parseClock(given: Parsed): number {
  const text = textOption(given, 'now');
  if (text === undefined) return Math.floor(Date.now() / 1000);
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new UsageError(
    `--now ${quote(text)} is not a count of Unix seconds; write digits, as \`date +%s\` does`,
  );
}

function parseHints(given: Parsed) {
  const dialect = textOption(given, 'dialect');
  const fileHost = textOption(given, 'file-host');
  const bucket = textOption(given, 'bucket');
  return {
    ...(dialect !== undefined && { dialect: parseDialect(dialect) }),
    ...(fileHost !== undefined && { fileHost: fileHost.replace(/^\./, '') }),
    ...(bucket !== undefined && { bucket }),
  };
}

const WHAT_TO_NAME = 'name a file with one captured request, or write it to standard input';

/** Reads the captured request. FILE may be a URL, which is the request itself. */
async function readCaptured(path: string, call: Call): Promise<Uint8Array> {
  return /^https?:\/\//i.test(path)
    ? Buffer.from(path, 'utf8')
    : call.readInput(path, LARGEST.request, 'the request', WHAT_TO_NAME);
}

const STYLES: Readonly<Partial<Record<Line['kind'], Style>>> = {
  heading: 'bold',
  right: 'green',
  wrong: 'red',
};

function explanationText(lines: readonly Line[], hide: Hide, { paint, wrap }: Terminal): string {
  return lines
    .map(({ kind, text }) => {
      // Secrets are hidden before a line break can cut one in two.
      const safe = hide.text(text);
      const indent = /^ */.exec(safe)?.[0] ?? '';
      const layout = kind === 'row' ? safe.trimEnd() : wrap(safe.slice(indent.length), indent);
      const style = STYLES[kind];
      return `${style ? paint(style, layout) : layout}\n`;
    })
    .join('');
}
