#!/usr/bin/env node
import module from 'node:module';

// Newer runtimes can cache compiled code for the next start. This must run before anything else is compiled.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runProgram } = await import('@mem-service/server/program');

process.exitCode = await runProgram(process.argv.slice(2));
