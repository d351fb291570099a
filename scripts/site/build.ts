/**
 * Builds the whole site into a folder.
 *
 * @module
 */
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { close, createIndex } from 'pagefind';
import { packagePath } from '../../harness/suite/package-root.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { causePages } from './cause-pages.ts';
import { readSiteData, type SiteData } from './data.ts';
import { guidePages } from './guides.ts';
import { homePage, searchPage } from './home-page.ts';
import { mistakePage, mistakesPage, placePages, placesPage } from './mistake-pages.ts';
import { movedPages } from './moved-pages.ts';
import type { Page } from './page.ts';
import { playgroundPage, writePlayground } from './playground.ts';
import { addQuestions, readQuestions } from './questions.ts';
import { referencePages } from './reference-pages.ts';
import { rulePage } from './rule-pages.ts';
import { resultsPage, sdkPage } from './sdk-pages.ts';
import { readSpecText, specPage } from './spec-page.ts';
import { operationPage, vectorPage, vectorsPage } from './vector-pages.ts';
import { writeBelow, writePages } from './write.ts';

interface Built {
  readonly pages: number;
  readonly bytes: number;
  readonly seconds: number;
}

export async function buildSite(folder: string): Promise<Built> {
  const start = performance.now();
  const data = await readSiteData();
  const pages = await createPages(data);
  rmSync(folder, { recursive: true, force: true });
  writePages(folder, pages, data.suite.version);
  cpSync(packagePath('site/static'), folder, { recursive: true });
  await writePlayground(folder);
  await writeIndex(folder);
  const seconds = (performance.now() - start) / 1000;
  return { pages: pages.length, bytes: sizeOf(folder), seconds };
}

/** Creates every page. Throws if two pages have the same address. */
async function createPages(data: SiteData): Promise<readonly Page[]> {
  const questions = readQuestions();
  const pages = [
    await homePage(data, questions),
    ...dataPages(data),
    ...(await guidePages(data)),
    ...(await referencePages(data)),
    searchPage(),
    playgroundPage(data),
  ];
  const all = [...pages, ...movedPages(pages)];
  const paths = all.map(({ path }) => path);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) throw new Error(`two pages have the address ${twice}`);
  return addQuestions(all, questions);
}

function dataPages(data: SiteData): readonly Page[] {
  const { suite, mistakes, sdks } = data;
  const spec = readSpecText(suite.rules);
  return [
    specPage(data, spec),
    ...suite.rules.map((rule) => rulePage(rule, data, spec.evidence[rule.id])),
    vectorsPage(data),
    ...suite.vectors.map((vector) => vectorPage(vector, data)),
    ...Object.keys(OPERATIONS).map((name) => operationPage(name, data)),
    mistakesPage(data, spec),
    placesPage(data),
    ...mistakes.map((mistake) => mistakePage(mistake, data)),
    ...placePages(data),
    ...causePages(data),
    resultsPage(data),
    ...sdks.map((sdk) => sdkPage(sdk, data)),
  ];
}

/** Files of Pagefind that the site does not need, because it has its own search page. */
const UNUSED = /(?:ui|highlight)\.(?:js|css)$/;

/** Lets Pagefind index the written pages. */
async function writeIndex(folder: string): Promise<void> {
  const { index, errors } = await createIndex({});
  if (!index) throw new Error(errors.join('\n'));
  await index.addDirectory({ path: folder });
  const { files, errors: faults } = await index.getFiles();
  if (faults.length > 0) throw new Error(faults.join('\n'));
  for (const { path, content } of files.filter((file) => !UNUSED.test(file.path))) {
    writeBelow(folder, join('pagefind', path), content);
  }
  await close();
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sizes = names.map((name) => statSync(join(folder, name))).filter((one) => one.isFile());
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
