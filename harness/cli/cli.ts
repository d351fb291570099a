#!/usr/bin/env node
/**
 * `svc-conformance` as a program.
 *
 * @module
 */
import { runProcess } from './process.ts';

void runProcess();
