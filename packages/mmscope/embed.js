import { serve } from "./dist/mmscope.js";

serve(document.body);
