import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';

/** Examples for training, from sealed sessions. */
export const trainingExport: Module = { name: 'training-export', migrations: [], handlers };
