#!/usr/bin/env node
import { runMcp } from './stdio.ts';

process.exitCode = await runMcp(process.argv.slice(2));
