/**
 * A stand-in for jest, with the part of its command line and of its report that the tests use. Like jest, it loads test
 * files as CommonJS, gives them `@jest/globals`, and cannot skip a test that is running.
 *
 * node jest.cjs --json --outputFile=FILE FOLDER
 */
const { readdirSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { resolve } = require('node:path');

const [, output, folder] = process.argv.slice(2);
const names = [];
let found;

const globals = {
  describe(name, register) {
    names.push(name);
    register();
    names.pop();
  },
  test: Object.assign((name, run) => found.tests.push({ names: [...names, name], run }), {
    skip: (name) => found.tests.push({ names: [...names, name] }),
  }),
  afterAll: (action) => found.ends.push(action),
};

const { _load: load } = Module;
Module._load = function (request, ...more) {
  return request === '@jest/globals' ? globals : load.call(this, request, ...more);
};

async function runTest({ names: path, run }) {
  const fullName = path.join(' ');
  if (!run) return { fullName, status: 'pending', failureMessages: [] };
  try {
    await run();
    return { fullName, status: 'passed', failureMessages: [] };
  } catch (error) {
    return { fullName, status: 'failed', failureMessages: [error.stack] };
  }
}

async function runFile(name) {
  found = { tests: [], ends: [] };
  const assertionResults = [];
  let message = '';
  try {
    require(name);
    for (const test of found.tests) assertionResults.push(await runTest(test));
    for (const end of found.ends) await end();
  } catch (error) {
    message = error.stack;
  }
  return { name, assertionResults, message };
}

async function main() {
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.cjs'));
  const testResults = [];
  for (const name of files) testResults.push(await runFile(resolve(folder, name)));
  writeFileSync(output.replace('--outputFile=', ''), JSON.stringify({ testResults }));
  const isRight = ({ assertionResults, message }) =>
    message === '' && assertionResults.every(({ status }) => status !== 'failed');
  process.exitCode = testResults.every(isRight) ? 0 : 1;
}

main();
