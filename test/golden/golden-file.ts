/**
 * Reads, compares and writes golden files: for each row of a table, its name, then its lines.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Line = Readonly<Record<string, unknown>>;

type Lines = readonly Line[];

/** Whether this run records the outputs instead of comparing them. */
const IS_WRITING = process.env['SVC_GOLDEN'] === 'write';

export class GoldenFile {
  readonly #path: string;
  readonly #command: string;
  readonly #recorded: ReadonlyMap<string, Lines>;
  readonly #actual = new Map<string, Lines>();

  /**
   * @param name of the file, without its extension
   * @param test the path of the tests that use the file, from the root of the repository
   */
  constructor(name: string, test: string) {
    this.#path = fileURLToPath(new URL(`${name}.jsonl`, import.meta.url));
    this.#command = `SVC_GOLDEN=write SVC_TEST_RUNS=4 npx vitest run ${test}`;
    this.#recorded = existsSync(this.#path) ? readRows(this.#path) : new Map();
  }

  /** Throws an error with the differences if the output of a row is not the recorded one. */
  compare(row: string, actual: Lines): void {
    this.#actual.set(row, actual);
    if (IS_WRITING) return;
    const changes = compareLines(this.#recorded.get(row) ?? [], actual);
    if (changes.length === 0) return;
    throw new Error(
      `the output of ${JSON.stringify(row)} is not the recorded one (-) but another (+)\n${changes.join('\n')}\nif that is intended, record it and say why in the commit:\n${this.#command}`,
    );
  }

  /**
   * Checks that the table still has every recorded row. When recording, writes the file in table
   * order instead; rows that did not run keep their lines.
   */
  close(rows: readonly string[]): void {
    if (IS_WRITING) {
      const lines = rows.flatMap((row) => {
        const own = this.#actual.get(row) ?? this.#recorded.get(row);
        return own ? [{ row }, ...own] : [];
      });
      writeFileSync(this.#path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return;
    }
    const gone = [...this.#recorded.keys()].filter((row) => !rows.includes(row));
    if (gone.length > 0) {
      throw new Error(`no row is named ${gone.join(', ')} any more; run ${this.#command}`);
    }
  }
}

function readRows(path: string): ReadonlyMap<string, Lines> {
  const rows = new Map<string, Line[]>();
  let own: Line[] = [];
  for (const text of readFileSync(path, 'utf8').trimEnd().split('\n')) {
    const line = JSON.parse(text) as Line;
    if (typeof line['row'] === 'string') {
      own = [];
      rows.set(line['row'], own);
    } else {
      own.push(line);
    }
  }
  return rows;
}

/** The lines that only one of the two has, or all lines if only their order differs. */
function compareLines(recorded: Lines, actual: Lines): readonly string[] {
  const [before, after] = [toTexts(recorded), toTexts(actual)];
  if (before.join('\n') === after.join('\n')) return [];
  const gone = before.filter((line) => !after.includes(line));
  const added = after.filter((line) => !before.includes(line));
  if (gone.length + added.length > 0) return [...markTexts('-', gone), ...markTexts('+', added)];
  return [...markTexts('-', before), ...markTexts('+', after)];
}

function toTexts(lines: Lines): readonly string[] {
  return lines.map((line) => JSON.stringify(line));
}

function markTexts(mark: string, texts: readonly string[]): readonly string[] {
  return texts.map((text) => `${mark} ${text}`);
}
