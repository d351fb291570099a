/**
 * Draws terminal output, text with colours, as SVG.
 *
 * @module
 */

/** The width of a character and the height of a line, in units of the picture. */
const COLUMN = 8;
const ROW = 19;
const MARGIN = 16;

const STYLES: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};

/** Escape sequences that end a style. */
const ENDS: Readonly<Record<number, readonly string[]>> = {
  0: Object.values(STYLES),
  22: ['bold', 'dim'],
  39: ['red', 'green', 'yellow', 'cyan'],
};

const CSS = `text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre; }
.bold { font-weight: bold; } .dim { fill: #9198a1; } .red { fill: #ff7b72; } .green { fill: #56d364; } .yellow { fill: #e3b341; } .cyan { fill: #76e3ea; }`;

interface Piece {
  readonly text: string;
  readonly styles: readonly string[];
}

/** @param width the width in columns, at which longer lines are wrapped */
export function drawTerminal(text: string, width: number): string {
  const lines = text.trimEnd().split('\n');
  const rows = lines.flatMap((line) => breakLine(readStyles(line), width));
  const [columns, height] = [width * COLUMN + 2 * MARGIN, rows.length * ROW + 2 * MARGIN];
  const title = escapeXml(lines[0] ?? '');
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns} ${height}" width="${columns}" height="${height}" role="img">`,
    `<title>What ${title.replace('$ ', '')} prints</title>`,
    `<style>${CSS}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...rows.map((pieces, at) => drawRow(pieces, MARGIN + (at + 0.75) * ROW)),
    '</svg>',
  ].join('\n')}\n`;
}

/** The pieces of a text, each with the styles that escape sequences give it. */
export function readStyles(text: string): readonly Piece[] {
  let styles: readonly string[] = [];
  return text.split(/\u001b\[([0-9;]*)m/).flatMap((part, at) => {
    if (at % 2 === 0) return part === '' ? [] : [{ text: part, styles }];
    const code = Number(part);
    const style = STYLES[code];
    const ended = ENDS[code] ?? [];
    styles =
      style === undefined ? styles.filter((one) => !ended.includes(one)) : [...styles, style];
    return [];
  });
}

function breakLine(pieces: readonly Piece[], width: number): readonly (readonly Piece[])[] {
  const rows: Piece[][] = [[]];
  let room = width;
  for (const { text, styles } of pieces) {
    for (let rest = text; rest !== ''; ) {
      if (room === 0) {
        rows.push([]);
        room = width;
      }
      const own = rest.slice(0, room);
      rows.at(-1)?.push({ text: own, styles });
      rest = rest.slice(own.length);
      room -= own.length;
    }
  }
  return rows;
}

/** A piece of text. It has an explicit length, so that columns are aligned in any font. */
function drawRow(pieces: readonly Piece[], y: number): string {
  let column = 0;
  const drawn = pieces.map(({ text, styles }) => {
    const x = MARGIN + column * COLUMN;
    column += text.length;
    const name = styles.length === 0 ? '' : ` class="${styles.join(' ')}"`;
    return `<text x="${x}" y="${y}"${name} textLength="${text.length * COLUMN}" xml:space="preserve">${escapeXml(text)}</text>`;
  });
  return drawn.join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
