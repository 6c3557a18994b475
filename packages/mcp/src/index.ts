export { followKernel } from './follow.ts';
export { answerMcp, answerWith, type Incoming, type MakeServer } from './http.ts';
export { type Memory, openMemory } from './memory.ts';
export { createMcpServer, type Offer } from './server.ts';
export type { Identity, Json, LogReader, Service, Session, Who } from './session.ts';
export { runMcp } from './stdio.ts';
export type { Tool } from './tool.ts';
export { allTools, listingSize, toolsOf } from './toolsets.ts';
