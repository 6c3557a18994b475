export { decodeMessage, decodeMessageInSteps, type JsonObject, ProtobufError } from './decode.ts';
export { encodeMessage } from './encode.ts';
export { exportRequest, exportResponse, rpcStatus } from './messages.ts';
