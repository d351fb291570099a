"""{'verdict': 'reason', 'rate': 15, 'ops': ['verify-authorization', 'verify-presigned-url', 'verify-query', 'verify-json']}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(91)
