import type { Module } from '@mem-service/server/module';
import { tags } from './tags/index.ts';

/** What a server loads when this package is installed beside it. */
export const modules: readonly Module[] = [tags];
