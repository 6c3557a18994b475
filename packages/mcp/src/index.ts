export { followKernel } from './follow.ts';
export { answerMcp, answerWith, type MakeServer, type McpRequest } from './http.ts';
export { type Memory, type MemoryUser, openMemory } from './memory.ts';
export { createMcpServer, type ServerOffer } from './server.ts';
export type { JsonObject, LogReader, McpSession, MemoryService, ToolCaller, ToolIdentity } from './session.ts';
export { SettingsError, toolsetOf } from './settings.ts';
export { runMcp } from './stdio.ts';
export type { Tool } from './tool.ts';
export { allTools, listingSize, toolsOf } from './toolsets.ts';
