declare module "virtual:embedded-frame" {
  /** The parts of the frame, each compressed with gzip and written in base64. */
  const packed: { readonly engine: string; readonly script: string; readonly style: string };
  export default packed;
}
