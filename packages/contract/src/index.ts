export * from './event-types.ts';
export * from './faults.ts';
export * from './glob.ts';
export { parseExact } from './json-exact.ts';
export * from './json-text.ts';
export * from './operation.ts';
export * from './operations/index.ts';
export * as shapes from './shapes.ts';
export * as traceShapes from './trace-shapes.ts';
