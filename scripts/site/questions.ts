/**
 * Questions that readers ask, each with the page that answers it.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/suite/package-root.ts';
import type { Page } from './page.ts';

export interface Question {
  readonly question: string;
  /** The address of a page. */
  readonly answer: string;
}

const FILE = 'site/questions.yaml';

export function readQuestions(): readonly Question[] {
  return parse(readFileSync(packagePath(FILE), 'utf8'));
}

/** Shows each question on the page that answers it. */
export function addQuestions(
  pages: readonly Page[],
  questions: readonly Question[],
): readonly Page[] {
  for (const { answer } of questions) {
    if (!pages.some(({ path }) => path === answer))
      throw new Error(`${FILE}: there is no page ${answer}`);
  }
  return pages.map((page) => {
    const asked = questions.filter(({ answer }) => answer === page.path);
    return asked.length === 0 ? page : { ...page, asked: asked.map(({ question }) => question) };
  });
}
